package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

type editFlags struct {
	typ        string
	tags       []string
	importance float64
	keep       bool
}

func (a *app) edit() *cobra.Command {
	var f editFlags
	cmd := &cobra.Command{
		Use:   "edit ID [TEXT… | -]",
		Short: "Change a memory's text, type, tags or importance",
		Long: "Change a memory. TEXT, or what comes on stdin with -, takes the place of its text; what is\n" +
			"left out stays. With an ID alone, on a terminal, the text is opened in $VISUAL or $EDITOR.\n" +
			"The history keeps what it was before.",
		Example: "  mneme edit 0e5a… \"The API listens on port 9443 now.\"\n  mneme edit 0e5a… --tags db,ops --importance 0.9",
		Args:    cobra.MinimumNArgs(1),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.typ, "type", "", "one of "+strings.Join(memory.Types(), ", "))
	fl.StringArrayVar(&f.tags, "tags", nil, "tags in place of all it has, with commas or repeated; \"\" for none")
	fl.Float64Var(&f.importance, "importance", 0, "0 (trivial) to 1 (vital)")
	fl.BoolVar(&f.keep, "keep", false, "for good: move it to where its type belongs, if it would expire")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in := memory.UpdateInput{ID: args[0], Keep: f.keep}
		if fl.Changed("type") {
			in.Type = &f.typ
		}
		if fl.Changed("tags") {
			tags := split(f.tags)
			in.Tags = &tags
		}
		if fl.Changed("importance") {
			in.Importance = &f.importance
		}
		return a.runEdit(cmd.Context(), in, args[1:])
	}
	return cmd
}

func (a *app) runEdit(ctx context.Context, in memory.UpdateInput, words []string) error {
	if err := memory.CheckRef(in.ID); err != nil {
		return err
	}
	inEditor := len(words) == 0 && in.Type == nil && in.Tags == nil && in.Importance == nil && !in.Keep
	if inEditor && !a.sys.StdinTTY {
		return memory.Errorf(memory.Invalid, `give a text, "-" to read one from stdin, --type, --tags, --importance or --keep`, "nothing was said to change in memory %s", in.ID)
	}
	if len(words) > 0 {
		text, err := a.textArg(ctx, words)
		if err != nil {
			return err
		}
		in.Text = &text
	}
	if !inEditor {
		if _, err := in.Clean(); err != nil {
			return err
		}
	}
	return a.with(ctx, func(cfg config.Config, c Client) error {
		if inEditor {
			text, err := a.editText(ctx, c, in.ID)
			if err != nil {
				return err
			}
			if text == nil {
				a.note("nothing was changed")
				return nil
			}
			in.Text = text
		}
		in.User = cfg.User
		return a.update(ctx, c, in)
	})
}

// editText lets the user edit a memory's text, and returns nil if it stays.
func (a *app) editText(ctx context.Context, c getter, id string) (*string, error) {
	found, err := c.Get(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, memory.Errorf(memory.NotFound, `find it with "mneme recall"`, "there is no memory %s", id)
	}
	editor := strings.Fields(orText(a.sys.Env("VISUAL"), a.sys.Env("EDITOR")))
	if len(editor) == 0 {
		return nil, memory.Errorf(memory.Invalid, "set EDITOR, or give the text after the id", "no editor is named in VISUAL or EDITOR")
	}
	file, err := os.CreateTemp("", "mneme-edit-*.txt") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	defer os.Remove(file.Name()) //nolint:errcheck // in the temporary folder anyway
	_, err = file.WriteString(found[0].Text + "\n")
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], file.Name())...) //nolint:gosec // the user's own editor, no shell
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.sys.Stdin, a.sys.Stdout, a.sys.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run editor %s: %w", editor[0], err)
	}
	data, err := os.ReadFile(file.Name())
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	text := strings.TrimSpace(string(data))
	if text == found[0].Text {
		return nil, nil
	}
	return &text, nil
}

// update sends an edit and prints what the memory is now.
func (a *app) update(ctx context.Context, c updater, in memory.UpdateInput) error {
	in.Source = memory.SourceCLI
	m, err := c.Update(ctx, in)
	if err != nil {
		return err
	}
	m.Tags = list(m.Tags)
	if a.json {
		return a.printJSON(m)
	}
	if in.Text != nil && strings.TrimSpace(*in.Text) != m.Text {
		a.note("secrets were taken out of the text")
	}
	return a.printMemory(m, nil)
}

// pin returns the command that pins (or unpins) memories.
// updater changes a memory.
type updater interface {
	Update(ctx context.Context, in memory.UpdateInput) (memory.Memory, error)
}

func (a *app) pin(pinned bool) *cobra.Command {
	cmd := &cobra.Command{Use: "pin ID…", Short: "Keep memories for good: never pruned, expired or merged away", Args: cobra.MinimumNArgs(1)}
	if !pinned {
		cmd.Use, cmd.Short = "unpin ID…", "Let pinned memories age like others"
	}
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		for _, id := range ids {
			if err := memory.CheckRef(id); err != nil {
				return err
			}
		}
		return a.with(cmd.Context(), func(cfg config.Config, c Client) error {
			return a.setPinned(cmd.Context(), c, cfg.User, ids, pinned)
		})
	}
	return cmd
}

func (a *app) setPinned(ctx context.Context, c updater, user string, ids []string, pinned bool) error {
	word := "pinned"
	if !pinned {
		word = "unpinned"
	}
	done := make([]memory.Memory, 0, len(ids))
	for _, id := range ids {
		m, err := c.Update(ctx, memory.UpdateInput{ID: id, Pinned: &pinned, Source: memory.SourceCLI, User: user})
		if err != nil {
			return err
		}
		m.Tags = list(m.Tags)
		done = append(done, m)
		if a.json {
			continue
		}
		if err := a.printf("%s  %s  %s\n", word, memory.ShortID(m.ID), oneLine(m.Text, a.sys.width()-len(word)-memory.ShortLen-4)); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(done)
	}
	return nil
}
