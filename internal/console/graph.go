package console

import (
	"context"
	"math"
	"net/http"

	"github.com/mneme-memory/mneme/memory"
)

// graphShown is how many memories of a project a graph looks at: more are no picture any more.
const graphShown = 50

// The picture's measures, in its own units.
const (
	graphSize   = 640.0
	graphRadius = 270.0
)

// graphView is the links among the memories of a project, as a picture and as a table.
type graphView struct {
	Project  string
	Projects []memory.Tally
	Looked   int // memories that were looked at
	Nodes    []node
	Edges    []edge
}

// node is a memory in the picture.
type node struct {
	memory.Memory
	Number int // from 1, as the table calls it
	X, Y   float64
}

// edge is a link in the picture.
type edge struct {
	From, To node
	Type     string
}

func (s *server) graph(ctx context.Context, r *http.Request) (answer, error) {
	census, err := s.Client.Census(ctx, memory.CensusInput{})
	if err != nil {
		return answer{}, err
	}
	v := graphView{Project: r.FormValue("project"), Projects: census.Projects}
	if v.Project == "" && len(v.Projects) > 0 {
		v.Project = v.Projects[0].Name
	}
	if v.Project != "" {
		page := memory.Page{Projects: []string{v.Project}, Sort: memory.SortNewest, Limit: graphShown}
		found, err := s.Client.List(ctx, page)
		if err != nil {
			return answer{}, err
		}
		v.Looked = len(found)
		if err := s.draw(ctx, &v, found); err != nil {
			return answer{}, err
		}
	}
	return answer{page: "graph", view: view{Title: "Graph", Here: "graph", Data: v, Follow: everything}}, nil
}

// draw adds to the view each of the found memories that has links, and the memories at the other ends.
func (s *server) draw(ctx context.Context, v *graphView, found []memory.Memory) error {
	var ids []string
	for _, m := range found {
		ids = append(ids, m.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	details, err := s.Client.Get(ctx, ids)
	if err != nil {
		return err
	}
	known := map[string]memory.Memory{}
	links, missing := linksOf(details, known)
	if len(missing) > 0 {
		others, err := s.Client.Get(ctx, missing[:min(len(missing), memory.MaxLimit)])
		if err != nil {
			return err
		}
		for _, d := range others {
			known[d.ID] = d.Memory
		}
	}
	v.Nodes, v.Edges = circle(links, known)
	return nil
}

// linksOf returns the links of memories, each once, and the ids at their ends that are not among the
// memories. It adds the memories to known.
func linksOf(details []memory.Details, known map[string]memory.Memory) (links []memory.Link, missing []string) {
	for _, d := range details {
		known[d.ID] = d.Memory
	}
	seen := map[string]bool{}
	for _, d := range details {
		for _, l := range d.Links {
			if seen[l.ID] {
				continue
			}
			seen[l.ID] = true
			links = append(links, l)
			for _, id := range []string{l.SourceID, l.TargetID} {
				if _, ok := known[id]; !ok && !seen["end "+id] {
					seen["end "+id] = true
					missing = append(missing, id)
				}
			}
		}
	}
	return links, missing
}

// circle puts the ends of links on a circle, in the order in which the links name them.
func circle(links []memory.Link, known map[string]memory.Memory) (nodes []node, edges []edge) {
	place := map[string]int{}
	var kept []memory.Link
	for _, l := range links {
		from, ok := known[l.SourceID]
		to, too := known[l.TargetID]
		if !ok || !too {
			continue // a memory that is gone
		}
		kept = append(kept, l)
		for _, m := range []memory.Memory{from, to} {
			if _, there := place[m.ID]; !there {
				place[m.ID] = len(nodes)
				nodes = append(nodes, node{Memory: m, Number: len(nodes) + 1})
			}
		}
	}
	for i := range nodes {
		sin, cos := math.Sincos(2*math.Pi*float64(i)/float64(len(nodes)) - math.Pi/2)
		nodes[i].X, nodes[i].Y = graphSize/2+graphRadius*cos, graphSize/2+graphRadius*sin
	}
	for _, l := range kept {
		edges = append(edges, edge{From: nodes[place[l.SourceID]], To: nodes[place[l.TargetID]], Type: l.Type})
	}
	return nodes, edges
}
