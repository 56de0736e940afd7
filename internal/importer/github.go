package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// readIssues reads issues and pull requests as gh writes them: "gh issue list --json …" and "gh issue
// view --json …", and the answers of GitHub's REST API ("gh api"). An issue is a memory, and each
// comment; they belong to the project of their repository.
func readIssues(ctx context.Context, c *collector, data []byte) error {
	c.found.Scope.Prefixes = []string{"issue:", "comment:"}
	return values(data, func(n int, value json.RawMessage) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		where := fmt.Sprintf("issue %d", n)
		o, ok := asObject(value)
		if !ok {
			c.bad(where, "is not a JSON object")
			return nil
		}
		c.issue(where, o)
		return nil
	})
}

func (c *collector) issue(where string, o object) {
	title, link := o.text("title"), o.text("html_url", "url")
	number, ok := number(o["number"])
	if title == "" || !ok {
		c.bad(where, `has no "title" or no "number"; ask gh for number,title,body,url,state,labels,createdAt,comments`)
		return
	}
	what := "Issue"
	if strings.Contains(link, "/pull/") {
		what = "Pull request"
	}
	head := fmt.Sprintf("%s #%.0f: %s", what, number, title)
	if state := strings.ToLower(o.text("state")); state != "" {
		head += " (" + state + because(o.text("stateReason", "state_reason")) + ")"
	}
	base := memory.StoreInput{
		Project: repository(link), Type: memory.TypeNote,
		Tags: []string{"issue"}, CreatedAt: o.date("createdAt", "created_at"),
	}
	for _, label := range o.objects("labels") {
		typ, tags := kindOf(label.text("name"), memory.TypeNote, nil)
		if typ == memory.TypeError || typ == memory.TypeDecision {
			base.Type = typ
		}
		base.Tags = append(append(base.Tags, tags...), label.text("name"))
	}
	ref := link
	if ref == "" {
		ref = fmt.Sprintf("#%.0f", number)
	}
	c.leave("assignees", len(o.objects("assignees")))
	c.leave("reactions", len(o.objects("reactionGroups")))
	if o.object("milestone") != nil {
		c.leave("milestones", 1)
	}
	c.long(where, base, head, o.text("body"), "issue:"+ref)
	for i, one := range o.objects("comments") {
		c.comment(fmt.Sprintf("%s, comment %d", where, i+1), base,
			fmt.Sprintf("%s #%.0f: %s", what, number, title), ref, i, one)
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ", " + strings.ToLower(strings.ReplaceAll(reason, "_", " "))
}

func (c *collector) comment(where string, base memory.StoreInput, head, ref string, i int, o object) {
	if hidden, _ := o["isMinimized"].(bool); hidden {
		c.leave("comments that were hidden", 1)
		return
	}
	if o.text("body") == "" {
		c.leave("comments without a text", 1)
		return
	}
	by := o.object("author").text("login")
	if by == "" {
		by = o.object("user").text("login")
	}
	if by == "" {
		by = "somebody"
	}
	link := o.text("html_url", "url")
	if link == "" {
		link = fmt.Sprintf("%s/%d", ref, i+1)
	}
	in := base
	in.Tags = append(append([]string{}, base.Tags...), "comment")
	if when := o.date("createdAt", "created_at"); when != nil {
		in.CreatedAt = when
	}
	c.long(where, in, head+". Comment of "+by, o.text("body"), "comment:"+link)
}

// long adds a text of any length below a line that says what it is.
func (c *collector) long(where string, in memory.StoreInput, head, body, ref string) {
	parts := split(body, maxSection)
	for i, part := range parts {
		in.Text, in.SourceRef = strings.TrimSpace(head+"\n\n"+part), ref
		if i > 0 {
			in.SourceRef = fmt.Sprintf("%s (%d)", ref, i+1)
		}
		c.add(where, in)
	}
}

// repository is the project of an issue: host/owner/name of its address.
func repository(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return ""
	}
	path := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(path) < 4 { // owner, name, issues, number
		return ""
	}
	return strings.ToLower(u.Host) + "/" + path[0] + "/" + path[1]
}
