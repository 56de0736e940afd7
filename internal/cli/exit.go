package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mneme-memory/mneme/memory"
)

// The exit codes.
const (
	ExitDone        = 0
	ExitUnexpected  = 1
	ExitUsage       = 2
	ExitNothing     = 3
	ExitDown        = 4
	ExitPartly      = 5
	ExitInterrupted = 130
)

type exitRow struct {
	code    int
	meaning string
}

func exitTable() []exitRow {
	return []exitRow{
		{ExitDone, "done"},
		{ExitUnexpected, "something unexpected went wrong"},
		{ExitUsage, "wrong usage or bad input: change it and try again"},
		{ExitNothing, "nothing found (recall, get, related, forget); with --json the answer is still printed"},
		{ExitDown, "a part is down or refuses, or mneme is not running: try again when that is mended, see \"mneme doctor\""},
		{ExitPartly, "mneme is ready, but a server is down or refuses (up --detach, status): what is accepted waits for it"},
		{ExitInterrupted, "interrupted"},
	}
}

func exitHelp() *cobra.Command {
	var b strings.Builder
	b.WriteString("Exit codes of every command:\n\n")
	for _, row := range exitTable() {
		fmt.Fprintf(&b, "  %3d  %s\n", row.code, row.meaning)
	}
	b.WriteString("\nErrors are written to stderr: \"mneme: error: …\" and, if something can be done,\n" +
		"\"mneme: hint: …\"; with --json as {\"error\": {\"code\", \"message\", \"hint\"}}.")
	return &cobra.Command{Use: "exit", Short: "Exit codes", Long: b.String()}
}

// runError marks an error of a command that ran. All others come from
// reading the command line and mean wrong usage.
type runError struct{ error }

func (e runError) Unwrap() error { return e.error }

// argsOf is what a command checks its arguments with: it says how the command is
// written. One that takes none asks cobra, which knows the commands below it.
func argsOf(cmd *cobra.Command) cobra.PositionalArgs {
	check := cmd.Args
	name, takes, ok := strings.Cut(cmd.Use, " ")
	if !ok || check == nil {
		return check
	}
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		return memory.Errorf(memory.Invalid, fmt.Sprintf(`write "mneme %s %s"`, name, takes),
			"%s takes %s and was given %s", name, takes, plural(len(args), "argument", "arguments"))
	}
}

// flagError is what reading the flags says, in words without Go in them. What
// begins with dashes and is no flag is not repeated when it is as long as a
// text: that may be a key, which no log should hold.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		want := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false", "duration": "a time such as 30s"}
		kind := value.GetFlag().Value.Type()
		return memory.Errorf(memory.Invalid, "give "+orText(want[kind], "another value"),
			"--%s: %q is not %s", value.GetFlag().Name, oneLine(value.GetValue(), 60), orText(want[kind], "what it takes"))
	}
	const most = 60
	if text := err.Error(); len(text) <= most && !strings.ContainsAny(text, "\n\r") {
		if missing := noSuchFlag(cmd, err); missing != nil {
			return missing
		}
		return err
	}
	return memory.Errorf(memory.Invalid, `put "--" before a text that begins with a dash, or give it on stdin`,
		"an argument that begins with a dash is no flag")
}

// quiet ends a command with a code when everything has been said.
type quiet int

func (q quiet) Error() string { return fmt.Sprintf("exit code %d", int(q)) }

func exitCode(ctx context.Context, err error) int {
	var q quiet
	var ran runError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &q):
		return int(q)
	case ctx.Err() != nil:
		return ExitInterrupted
	case !errors.As(err, &ran):
		return ExitUsage
	}
	switch memory.CodeOf(err) {
	case memory.Invalid:
		return ExitUsage
	case memory.NotFound:
		return ExitNothing
	case memory.Unavailable, memory.Refused:
		return ExitDown
	default:
		return ExitUnexpected
	}
}

// report writes an error for a person or a program and returns the exit code.
func report(ctx context.Context, w io.Writer, asJSON bool, err error) int {
	code := exitCode(ctx, err)
	var q quiet
	if err == nil || errors.As(err, &q) {
		return code
	}
	kind, message, hint := string(memory.CodeOf(err)), err.Error(), memory.HintOf(unwrapRun(err))
	switch code {
	case ExitInterrupted:
		kind, message = "interrupted", "interrupted"
	case ExitUsage:
		kind = string(memory.Invalid)
		if hint == "" {
			hint = `see "mneme help"`
		}
	}
	if asJSON {
		json.NewEncoder(w).Encode(errorJSON{errorBody{kind, message, hint}}) //nolint:errcheck // nowhere left to say it
		return code
	}
	fmt.Fprintf(w, "mneme: error: %s\n", message)
	if hint != "" {
		fmt.Fprintf(w, "mneme: hint: %s\n", hint)
	}
	return code
}

// unwrapRun takes the marks of this package off, for code that follows only
// the links of memory.Error.
func unwrapRun(err error) error {
	var ran runError
	if errors.As(err, &ran) {
		err = ran.error
	}
	var e *memory.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}
