package project

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds an identity; it is the bound of a memory's project.
const maxName = 256

// Normalize writes a remote's URL as host/owner/repo, the same for every way
// to reach it: scp-like, ssh, git or https, with or without ".git", port or
// credentials. It returns "" for what names no host: a path says nothing to
// another clone. Credentials never pass.
func Normalize(remote string) string {
	host, file := split(strings.TrimSpace(remote))
	host = strings.ToLower(host)
	file = strings.Trim(path.Clean("/"+strings.ReplaceAll(file, `\`, "/")), "/")
	file = strings.TrimSuffix(strings.TrimSuffix(file, ".git"), "/")
	name := host + "/" + file
	if host == "" || file == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	return name
}

// split returns the host and the path of a remote.
func split(remote string) (host, file string) {
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil || u.Scheme == "file" {
			return "", ""
		}
		return u.Hostname(), u.Path
	}
	// Scp-like, [user@]host:path: the colon comes before any slash.
	head, file, found := strings.Cut(remote, ":")
	if !found || strings.ContainsAny(head, `/\`) {
		return "", ""
	}
	host = head[strings.LastIndexByte(head, '@')+1:]
	if len(host) < 2 { // C:\repo is a path
		return "", ""
	}
	return host, file
}

// remoteURL returns the URL of the remote "origin" in a git config, else of
// the first remote that has one, else "".
func remoteURL(config string) string {
	var section, first string
	for _, line := range lines(config) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			section = remoteName(line)
		case section != "":
			key, value, ok := strings.Cut(line, "=")
			if !ok || !strings.EqualFold(strings.TrimSpace(key), "url") {
				continue
			}
			if value = unquote(value); value == "" {
				continue
			}
			if section == "origin" {
				return value
			}
			if first == "" {
				first = value
			}
		}
	}
	return first
}

// lines splits a config and joins lines that end in a backslash.
func lines(config string) []string {
	config = strings.ReplaceAll(strings.TrimPrefix(config, "\uFEFF"), "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(config, "\\\n", ""), "\n")
}

// remoteName returns x of a header [remote "x"], or "".
func remoteName(header string) string {
	inner, _, ok := strings.Cut(header[1:], "]")
	if !ok {
		return ""
	}
	kind, name, ok := strings.Cut(inner, `"`)
	if !ok || !strings.EqualFold(strings.TrimSpace(kind), "remote") {
		return ""
	}
	name, _, _ = strings.Cut(name, `"`)
	return name
}

// unquote reads a config value: quotes group, a backslash escapes, and a # or
// ; outside quotes begins a comment.
func unquote(value string) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, r := range value {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case !quoted && (r == '#' || r == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
