package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

// formulaText is the Homebrew formula. A formula names the sum of each archive, so it is made
// together with them.
var formulaText = template.Must(template.New("formula").Parse(`# Made by "make release"; do not edit.
class Mneme < Formula
  desc "Long-term memory for Claude Code that runs on your own machine"
  homepage "https://github.com/mneme-memory/mneme"
  version "{{.Version}}"
  license "Apache-2.0"
{{range .Systems}}
  on_{{.Name}} do
{{- range .Archives}}
    on_{{.CPU}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install Dir["bin/*"]
    generate_completions_from_executable(bin/"mneme", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mneme version")
  end
end
`))

type (
	formula struct {
		Version string
		Systems []formulaSystem
	}
	formulaSystem struct {
		Name     string
		Archives []formulaArchive
	}
	formulaArchive struct{ CPU, URL, Sum string }
)

// formula writes mneme.rb.
func (o options) formula(all []built) error {
	data := formula{Version: o.version}
	for _, system := range []struct{ goos, name string }{{"darwin", "macos"}, {"linux", "linux"}} {
		s := formulaSystem{Name: system.name}
		for _, b := range all {
			cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[b.archive.Target.Arch]
			if b.archive.Target.OS != system.goos || cpu == "" {
				continue
			}
			sum, err := sumOf(filepath.Join(o.out, b.archive.Name()))
			if err != nil {
				return err
			}
			s.Archives = append(s.Archives, formulaArchive{CPU: cpu, URL: o.url + "/" + b.archive.Name(), Sum: sum})
		}
		if len(s.Archives) > 0 {
			data.Systems = append(data.Systems, s)
		}
	}
	f, err := os.Create(filepath.Join(o.out, "mneme.rb"))
	if err != nil {
		return err
	}
	if err := errors.Join(formulaText.Execute(f, data), f.Close()); err != nil {
		return fmt.Errorf("write the formula: %w", err)
	}
	return nil
}
