package memory

import (
	"path"
	"strings"
)

// ResolveProject returns the project that somebody means who gives only the last part of its
// name, such as "shop" for "github.com/acme/shop", among projects that are known. It is name
// itself where that is known, or where none or several of them end with it.
func ResolveProject(name string, known []string) string {
	name = strings.TrimSpace(name)
	found := ""
	for _, k := range known {
		switch {
		case k == name:
			return name
		case strings.ContainsAny(name, `/\`) || !strings.EqualFold(path.Base(strings.ReplaceAll(k, `\`, "/")), name):
		case found != "" && found != k:
			return name // several
		default:
			found = k
		}
	}
	return orDefault(found, name)
}

// maxAbove bounds how many folders above one are looked into.
const maxAbove = 16

// foldersAbove returns the projects of the folders above a project that is a folder ("~/notes/go" or
// "/srv/notes"), the nearest first, up to the home folder. Others have none.
func foldersAbove(project string) []string {
	if !strings.HasPrefix(project, "~/") && !strings.HasPrefix(project, "/") {
		return nil
	}
	var out []string
	for dir := path.Dir(project); dir != "/" && dir != "." && len(out) < maxAbove; dir = path.Dir(dir) {
		out = append(out, dir)
	}
	return out
}
