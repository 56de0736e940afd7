package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/memory"
)

// maxStdin bounds what is read from stdin as one text. It is far above
// memory.MaxTextBytes, so that the error can tell the true size of most.
const maxStdin = 16 << 20

type storeFlags struct {
	in         memory.StoreInput
	project    string
	global     bool
	tags       []string
	links      []string
	importance float64
	created    string
}

// storer remembers a text.
type storer interface {
	Store(ctx context.Context, in memory.StoreInput) (memory.StoreResult, error)
}

func (a *app) store() *cobra.Command {
	var f storeFlags
	cmd := &cobra.Command{
		Use:        "store [TEXT… | -]",
		SuggestFor: []string{"remember", "save", "add"},
		Short:      "Remember a text",
		Long:       "Remember a text: one complete fact in a few sentences. With - or without arguments\nit is read from stdin. Secrets are taken out before anything is kept.",
		Example: `  mneme store "The staging database is rebuilt every Sunday at 04:00 UTC."
  mneme store --type decision --tags db,ops "We use goose for migrations."
  git log -1 --format=%B | mneme store -`,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.in.Type, "type", "", "one of "+strings.Join(memory.Types(), ", ")+" (default fact)")
	fl.StringArrayVar(&f.tags, "tags", nil, "tags, with commas or repeated")
	fl.StringVar(&f.project, "project", "", "project (default: that of the current folder)")
	fl.BoolVar(&f.global, "global", false, "store for all projects")
	fl.StringVar(&f.in.Collection, "collection", "", "collection (default: that of the type)")
	fl.Float64Var(&f.importance, "importance", 0.5, "0 (trivial) to 1 (vital)")
	fl.BoolVar(&f.in.Pinned, "pin", false, "never prune or expire it")
	fl.StringVar(&f.in.Session, "session", "", "the sitting it was said in")
	fl.StringVar(&f.created, "created-at", "", "when it was said (default now)")
	fl.StringArrayVar(&f.links, "link", nil, "link to another memory, such as builds_on:<id>")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		in, err := a.storeInput(cmd.Context(), cfg, f, args)
		if err != nil {
			return err
		}
		err = a.with(cmd.Context(), func(_ config.Config, c Client) error {
			res, err := c.Store(cmd.Context(), in)
			if err != nil {
				return err
			}
			return a.printStored(res)
		})
		return a.keepForLater(cfg, in, err)
	}
	return cmd
}

// keepForLater keeps a text that mneme could not be given because it is down, as the hooks do. Any
// other outcome is returned as it is.
func (a *app) keepForLater(cfg config.Config, in memory.StoreInput, err error) error {
	if memory.CodeOf(err) != memory.Unavailable || a.deps.Keep == nil {
		return err
	}
	kept, cause := a.deps.Keep(cfg, in)
	if memory.CodeOf(cause) == memory.Invalid {
		return cause
	}
	if cause != nil {
		a.note("it could not be kept for later either: %s", printable(cause.Error()))
		return err
	}
	return a.printStored(memory.StoreResult{
		ID: kept.ID(), Status: memory.Accepted, Project: kept.Project, Redacted: kept.Redacted,
		Collection: kept.Collection, WaitingFor: "mneme",
		Message: fmt.Sprintf(
			"mneme is down (%v); the text is kept on disk and stored when it runs again: mneme up", err),
	})
}

func (a *app) storeInput(ctx context.Context, cfg config.Config, f storeFlags, args []string) (memory.StoreInput, error) {
	in := f.in
	var err error
	if in.Text, err = a.textArg(ctx, args); err != nil {
		return in, err
	}
	if in.Project, err = a.project(cfg, f.project, f.global); err != nil {
		return in, err
	}
	if in.CreatedAt, err = a.dateFlag("created-at", f.created); err != nil {
		return in, err
	}
	if in.Links, err = linkFlags(f.links); err != nil {
		return in, err
	}
	in.Tags, in.Importance = split(f.tags), &f.importance
	in.Source, in.User = memory.SourceCLI, cfg.User
	_, err = in.Clean()
	return in, err // as it came: the client redacts before tags are in lower case
}

// textArg returns the text of the arguments, or of stdin.
func (a *app) textArg(ctx context.Context, args []string) (string, error) {
	fromStdin := len(args) == 1 && args[0] == "-" || len(args) == 0
	if !fromStdin {
		return strings.Join(args, " "), nil
	}
	if len(args) == 0 && a.sys.StdinTTY {
		return "", memory.Errorf(memory.Invalid, `give it as argument, or "-" to type it and end with Ctrl-D`, "there is no text")
	}
	text, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.sys.Stdin, maxStdin)) })
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	return string(text), nil
}

func linkFlags(values []string) ([]memory.LinkRequest, error) {
	var out []memory.LinkRequest
	for _, v := range values {
		typ, id, ok := strings.Cut(v, ":")
		if !ok {
			return nil, memory.Errorf(memory.Invalid, "write it like builds_on:<id>; the types are "+strings.Join(memory.LinkTypes(), ", "),
				"--link %q has no colon", oneLine(v, 60))
		}
		out = append(out, memory.LinkRequest{Type: typ, TargetID: id})
	}
	return out, nil
}

func (a *app) printStored(res memory.StoreResult) error {
	if a.json {
		return a.printJSON(res)
	}
	where := fmt.Sprintf("%s, project %s", res.Collection, printable(res.Project))
	var err error
	switch res.Status {
	case memory.MergedIn:
		err = a.printf("merged  %s  (%s; the same fact was there, similarity %.2f)\n", memory.ShortID(res.ID), where, res.Similarity)
	case memory.Accepted:
		err = a.printf("accepted  %s  (%s)\n%s\n", memory.ShortID(res.ID), where, printable(orText(res.Message, "it will be stored soon")))
	default:
		err = a.printf("%s  %s  (%s)\n", res.Status, memory.ShortID(res.ID), where)
	}
	for _, like := range res.Alike {
		a.note("much like %s: %s; update it, or link as contradicts", memory.ShortID(like.ID), oneLine(like.Text, 160))
	}
	if len(res.Redacted) > 0 {
		a.note("taken out of the text: %s", strings.Join(res.Redacted, ", "))
	}
	return err
}
