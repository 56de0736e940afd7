// Package compose reads deploy/compose.yaml as Docker Compose does, without a Docker daemon. Its
// tests hold the file to the rules that the documents promise ("make compose-check"), and
// realtest plays the same services without containers.
package compose

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// fileName is the file's name in the folder deploy.
const fileName = "compose.yaml"

// Read returns the services of the folder deploy of a check-out, with those of the profiles. The
// environment stands for .env.
func Read(
	ctx context.Context, deploy string, environment map[string]string, profiles ...string,
) (*types.Project, error) {
	text, err := os.ReadFile(filepath.Join(deploy, fileName))
	if err != nil {
		return nil, err
	}
	return Parse(ctx, deploy, text, environment, profiles...)
}

// Parse is [Read] for a text.
func Parse(
	ctx context.Context, deploy string, text []byte, environment map[string]string, profiles ...string,
) (*types.Project, error) {
	project, err := loader.LoadWithContext(ctx, types.ConfigDetails{
		WorkingDir:  deploy,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(deploy, fileName), Content: text}},
		Environment: environment,
	}, loader.WithProfiles(profiles), func(o *loader.Options) { o.SetProjectName("mneme", false) })
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", fileName, err)
	}
	return project, nil
}

// Environment reads a file such as .env: NAME=value lines, without quotes.
func Environment(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("%s: no value in %q", filepath.Base(path), name)
		}
		out[name] = value
	}
	return out, nil
}

var variable = regexp.MustCompile(`\$\{([A-Z][A-Z0-9_]*)`)

// Variables returns the names that a text takes from the environment, sorted.
func Variables(text []byte) []string {
	var out []string
	for _, found := range variable.FindAllSubmatch(text, -1) {
		out = append(out, string(found[1]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Order returns the services so that each comes after all that it waits for.
func Order(p *types.Project) []string {
	var out []string
	var visit func(name string)
	visit = func(name string) {
		if slices.Contains(out, name) {
			return
		}
		waits := p.Services[name].GetDependencies()
		slices.Sort(waits)
		for _, other := range waits {
			visit(other)
		}
		out = append(out, name)
	}
	for _, name := range p.ServiceNames() { // sorted, and without circles: the loader refuses those
		visit(name)
	}
	return out
}
