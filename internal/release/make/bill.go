package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mneme-memory/mneme/internal/release"
)

// The parts of CycloneDX 1.6 that are used: https://cyclonedx.org/docs/1.6/json.
type (
	bom struct {
		Format       string      `json:"bomFormat"`
		Spec         string      `json:"specVersion"`
		Version      int         `json:"version"`
		Metadata     bomMetadata `json:"metadata"`
		Components   []component `json:"components"`
		Dependencies []depends   `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp  string     `json:"timestamp"`
		Component  component  `json:"component"`
		Properties []property `json:"properties"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		PURL       string     `json:"purl"`
		Hashes     []bomHash  `json:"hashes,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	bomHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	depends struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn,omitempty"`
	}
)

// bill writes the list of the modules that are linked into the programs of a platform, as the
// programs themselves tell it.
func (o options) bill(b built) error {
	programs := map[string]string{}
	for _, name := range release.Programs() {
		programs[name] = b.file(name)
	}
	list, err := listModules(programs, o.version, o.when)
	if err != nil {
		return err
	}
	list.Metadata.Properties = append(list.Metadata.Properties, property{"mneme:platform", b.archive.Target.String()},
		property{"mneme:analytics", fmt.Sprint(b.archive.Analytics)})
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, billName(b.archive)), append(data, '\n'), 0o644) //nolint:gosec // it is published
}

func billName(a release.Archive) string { return strings.TrimSuffix(a.Name(), ".tar.gz") + ".cdx.json" }

// listModules reads what Go writes into each program.
func listModules(programs map[string]string, version string, when time.Time) (bom, error) {
	main := component{Type: "application", Ref: "mneme", Name: "mneme", Version: version, PURL: "pkg:golang/github.com/mneme-memory/mneme@" + version}
	list := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: bomMetadata{Timestamp: when.Format(time.RFC3339), Component: main}}
	modules := map[string]component{}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		info, err := buildinfo.ReadFile(programs[name])
		if err != nil {
			return list, fmt.Errorf("read what is linked into %s: %w", name, err)
		}
		sum, err := sumOf(programs[name])
		if err != nil {
			return list, err
		}
		app := component{Type: "application", Ref: name, Name: name, Version: version, PURL: main.PURL + "#cmd/" + name, Hashes: []bomHash{{"SHA-256", sum}}}
		on := []string{addModule(modules, "stdlib", strings.TrimPrefix(info.GoVersion, "go"), "")}
		for _, d := range info.Deps {
			if d.Replace != nil {
				d = d.Replace
			}
			on = append(on, addModule(modules, d.Path, d.Version, d.Sum))
		}
		slices.Sort(on)
		list.Components = append(list.Components, app)
		list.Dependencies = append(list.Dependencies, depends{name, on})
	}
	list.Components = append(list.Components, slices.SortedFunc(maps.Values(modules), func(a, b component) int {
		return cmp.Compare(a.Ref, b.Ref)
	})...)
	return list, nil
}

// addModule adds a module once, and returns how it is referred to.
func addModule(to map[string]component, path, version, sum string) string {
	c := component{Type: "library", Name: path, Version: version, PURL: "pkg:golang/" + path + "@" + version}
	c.Ref = c.PURL
	if sum != "" { // Go's own hash over a module's files; CycloneDX has no name for it
		c.Properties = []property{{"go:sum", sum}}
	}
	to[c.Ref] = c
	return c.Ref
}

// sums writes SHA256SUMS over all files of the release.
func (o options) sums() error {
	entries, err := os.ReadDir(o.out)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries { // sorted by name
		if e.IsDir() {
			continue
		}
		sum, err := sumOf(filepath.Join(o.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(o.out, release.SumsName), []byte(text.String()), 0o644) //nolint:gosec // it is published
}
