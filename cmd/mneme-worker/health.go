package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/doctor"
	"github.com/mneme-memory/mneme/internal/health"
	"github.com/mneme-memory/mneme/internal/homestate"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// healthTimeout bounds each of the two rounds of questions. Both fit into the ten seconds that
// deploy/compose.yaml gives the check.
const healthTimeout = 4 * time.Second

// tellHealth asks the four servers, and asks Temporal whether a worker of this machine, in a
// container that of the container, asks for work. It returns the exit code.
func tellHealth(ctx context.Context, cfg config.Config, asJSON bool, out io.Writer) (int, error) {
	inspect := assembly.OpenInspectors(cfg, homestate.Daemon{})
	delete(inspect, doctor.Worker) // it would count the workers of other machines
	found := doctor.Options{Config: cfg, Servers: doctor.Servers{Inspect: inspect}}.Look(ctx, healthTimeout)
	r := health.New()
	for _, name := range homestate.ServiceNames() {
		seen := found[name].Inspection
		detail := strings.Join(append([]string{seen.Version}, seen.Facts...), ", ")
		add := r.Needs
		if name == homestate.OllamaService { // without it stores wait, and recalls go by keywords
			add = r.Mentions
		}
		add(doctor.Title(name), strings.Trim(detail, ", "), errors.Join(seen.Problems...))
	}
	detail, err := here(ctx, cfg, found)
	r.Needs("worker", detail, err)
	return r.Code(), r.Write(out, asJSON)
}

// here looks for a worker of this machine on the queue of the ledger.
func here(ctx context.Context, cfg config.Config, found map[string]doctor.Server) (string, error) {
	ledger := found[homestate.PostgresService].Inspection.Ledger
	switch {
	case !found[homestate.TemporalService].Fine():
		return "", memory.Down("the worker", "see what is said of Temporal", errors.New("nobody can tell whether it works"))
	case ledger == "":
		return "", memory.Down("the worker", "see what is said of PostgreSQL", errors.New("nobody can tell whose work it does"))
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("find the name of this machine: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	i := temporal.InspectWorkers(ctx, cfg.Temporal, host, func(context.Context, client.Client) (string, error) {
		return workflows.TaskQueue(ledger), nil
	})
	return strings.Join(i.Facts, ", "), errors.Join(i.Problems...)
}
