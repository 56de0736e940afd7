package cli

import (
	"context"

	"github.com/mneme-memory/mneme/memory"
)

// importLinks are the links of an export. They are sent when all its memories are there, because a link
// may lead to a memory of a later line.
type importLinks struct {
	links  []memory.ExportedLink
	ends   map[string]memory.LinkEnd // memories of the export, by id
	names  map[string]string         // each project and collection once
	after  int                       // the number of batches before those of the links
	inEach int                       // links a batch; a test has fewer
}

func (l *importLinks) add(p parsedLine) {
	if p.end.ID == "" {
		return
	}
	if l.ends == nil {
		l.ends, l.names = map[string]memory.LinkEnd{}, map[string]string{}
	}
	p.end.Project, p.end.Collection = l.once(p.end.Project), l.once(p.end.Collection)
	l.ends[p.end.ID] = p.end
	l.links = append(l.links, p.links...)
}

func (l *importLinks) once(name string) string {
	if known, ok := l.names[name]; ok {
		return known
	}
	l.names[name] = name
	return name
}

// end is called when all lines are read, with the number of their batches.
func (l *importLinks) end(batches int) {
	for i := range l.links {
		if end, known := l.ends[l.links[i].Target.ID]; known {
			l.links[i].Target = end
		}
	}
	l.ends, l.names, l.after = nil, nil, batches
	if l.inEach == 0 {
		l.inEach = memory.MaxImportBatch
	}
}

func (l *importLinks) count() int { return (len(l.links) + l.inEach - 1) / l.inEach }

// sentLinks are the batches of the links.
type sentLinks struct {
	importLinks
	user string
}

func (l sentLinks) batches(_ context.Context, send func(memory.ImportBatch) error) error {
	for n := range l.count() {
		part := l.links[n*l.inEach : min(len(l.links), (n+1)*l.inEach)]
		if err := send(memory.ImportBatch{Number: l.after + n, Links: part, User: l.user}); err != nil {
			return err
		}
	}
	return nil
}
