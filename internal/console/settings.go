package console

import (
	"context"
	"net/http"
)

// Setting is a setting as the page shows it. Secrets come masked.
type Setting struct {
	Name   string // in config.toml
	Value  string
	Source string // where the value comes from
	Env    string // the variable that sets it
	About  string
}

type settingsView struct{ Settings []Setting }

func (s *server) settings(_ context.Context, _ *http.Request) (answer, error) {
	return answer{page: "settings", view: view{Title: "Settings", Here: "settings", Data: settingsView{s.Settings}}}, nil
}
