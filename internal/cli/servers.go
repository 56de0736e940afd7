package cli

import (
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/memory"
)

// printServers prints a line for each server, then what is wrong with them and what to do.
func (a *app) printServers(st state) error {
	var rows [][]string
	for _, name := range append(homestate.ServiceNames(), doctor.Worker) {
		s := st.servers[name]
		if name == doctor.Worker && !s.Known() {
			continue
		}
		address := config.ShownAddress(s.Service.Address)
		if name == doctor.Worker {
			address = "" // its own is Temporal's
		}
		rows = append(rows, []string{"  " + a.word(s), headingOf(name, s), orText(address, "-"), noteOf(name, s)})
	}
	if err := table(a.sys.Stdout, rows); err != nil {
		return err
	}
	return a.printTrouble(st)
}

// printTrouble prints what is wrong with the servers and what to do.
func (a *app) printTrouble(st state) error {
	const indent = "    "
	first := true
	for _, name := range append(homestate.ServiceNames(), doctor.Worker) {
		i := st.servers[name].Inspection
		for _, err := range append(append([]error{}, i.Problems...), i.Warnings...) {
			if first {
				first = false
				if err := a.printf("\n"); err != nil {
					return err
				}
			}
			text := wrap(headingOf(name, st.servers[name])+": "+err.Error(), a.sys.width(), "  ")
			if hint := memory.HintOf(err); hint != "" {
				text += "\n" + wrap("→ "+hint, a.sys.width(), indent)
			}
			if err := a.printf("%s\n", text); err != nil {
				return err
			}
		}
	}
	return nil
}

// word is how a server is, in one word.
func (a *app) word(s doctor.Server) string {
	p := a.paint()
	switch {
	case !s.Known():
		return p.red("down")
	case len(s.Inspection.Problems) > 0 && memory.CodeOf(s.Inspection.Problems[0]) == memory.Unavailable:
		return p.red("down")
	case len(s.Inspection.Problems) > 0:
		return p.red("fail")
	case len(s.Inspection.Warnings) > 0:
		return p.yellow("warn")
	default:
		return p.green("ok  ")
	}
}

// heading is a service's name in a list.
func heading(name string) string {
	if name == doctor.Worker {
		return "Worker"
	}
	return doctor.Title(name)
}

// builtIn reports whether a server is the embedding model that comes with mneme.
func builtIn(name string, s doctor.Server) bool {
	return name == homestate.OllamaService && s.Service.Mode == homestate.Embedded
}

// headingOf is a server's name in a list. The model that comes with mneme is no Ollama to its user.
func headingOf(name string, s doctor.Server) string {
	if builtIn(name, s) {
		return "Model"
	}
	return heading(name)
}

// noteOf says where a server comes from, which version it is, and what else is known of it.
func noteOf(name string, s doctor.Server) string {
	var parts []string
	if name != doctor.Worker {
		parts = append(parts, s.Service.Mode)
	}
	if version := s.Inspection.Version; version != "" && !builtIn(name, s) {
		word := "supported"
		if !s.Inspection.Supported {
			word = "not supported"
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", version, word))
	}
	parts = append(parts, s.Inspection.Facts...)
	if !s.Known() {
		parts = append(parts, "not running")
	}
	note := strings.Join(parts, ", ")
	if s.Service.Note != "" {
		note += fmt.Sprintf(" (%s)", s.Service.Note)
	}
	return printable(note)
}

// detailOf names a server's fault, or else its details.
func detailOf(s doctor.Server) string {
	switch {
	case !s.Known():
		return "not running"
	case len(s.Inspection.Problems) > 0:
		return s.Inspection.Problems[0].Error()
	case len(s.Inspection.Warnings) > 0:
		return s.Inspection.Warnings[0].Error()
	case s.Service.Note != "":
		return s.Service.Note
	default:
		return strings.Join(s.Inspection.Facts, ", ")
	}
}
