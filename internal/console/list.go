package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/mneme-memory/mneme/memory"
)

// perPage is how many memories a page of the list shows.
const perPage = 50

// maxSkip bounds how deep pages go: an address is typed by anybody.
const maxSkip = 10_000_000

// listView is a page of memories and the filters that chose them.
type listView struct {
	Project, Type, Source, Sort, Tags, Session string
	Nearly                                     bool
	Census                                     memory.Census
	Types, Sources, Sorts                      []string
	Found                                      []memory.Memory
	First                                      int    // place of the first one, from 1
	Newer, Older                               string // addresses of the pages beside; "" if there is none
	Address                                    string // of this page
}

func (s *server) list(ctx context.Context, r *http.Request) (answer, error) {
	census, err := s.Client.Census(ctx, memory.CensusInput{})
	if err != nil {
		return answer{}, err
	}
	v := listView{
		Project: r.FormValue("project"), Type: r.FormValue("type"),
		Source: r.FormValue("source"), Sort: r.FormValue("sort"),
		Tags: r.FormValue("tags"), Session: r.FormValue("session"), Nearly: r.FormValue("nearly") != "",
		Census: census, Types: memory.Types(), Sources: memory.Sources(), Sorts: memory.Sorts(),
	}
	if v.Sort == "" {
		v.Sort = memory.SortNewest
	}
	skip, err := number(r.FormValue("skip"))
	if err != nil {
		return answer{}, err
	}
	page := v.page(skip)
	if v.Found, err = s.Client.List(ctx, page); err != nil {
		return answer{}, err
	}
	more := len(v.Found) > perPage
	if more {
		v.Found = v.Found[:perPage]
	}
	v.First, v.Address = skip+1, r.URL.RequestURI()
	if skip > 0 {
		v.Newer = at(r.URL, max(skip-perPage, 0))
	}
	if more {
		v.Older = at(r.URL, skip+perPage)
	}
	return answer{page: "list", view: view{Title: "Memories", Here: "memories", Data: v, Follow: everything}}, nil
}

// page asks for one memory more than is shown, to know whether there are more.
func (v listView) page(skip int) memory.Page {
	p := memory.Page{
		Source: v.Source, Sort: v.Sort, Session: v.Session,
		Nearly: v.Nearly, Skip: skip, Limit: perPage + 1,
	}
	if v.Project != "" {
		p.Projects = []string{v.Project}
	}
	if v.Type != "" {
		p.Types = []string{v.Type}
	}
	p.Tags = tagsOf(v.Tags)
	return p
}

// tagsOf reads tags that stand between commas or blanks.
func tagsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '#' })
}

// number reads how many memories to skip.
func number(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxSkip {
		return 0, memory.Errorf(memory.Invalid, "go back to the first page",
			"skip must be a number from 0 to %d", maxSkip)
	}
	return n, nil
}

// at is the address of another page of the same list.
func at(u *url.URL, skip int) string {
	q := u.Query()
	for _, old := range []string{"did", "n", "undo"} {
		q.Del(old)
	}
	q.Set("skip", strconv.Itoa(skip))
	return u.Path + "?" + q.Encode()
}
