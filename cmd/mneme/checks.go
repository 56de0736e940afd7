package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/analytics"
	"github.com/mneme-memory/mneme/internal/cli"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// checks are the questions that "mneme doctor" asks: first of each part by
// itself, so that it is clear which one is at fault, then of the whole.
func checks(cfg config.Config) []cli.Check {
	e := examiner{cfg: cfg}
	if d, ready, err := config.Running(cfg.Home); err == nil && ready {
		e.daemon = d
	}
	return []cli.Check{
		{Name: "Temporal", Run: e.temporal},
		{Name: "worker", Run: e.worker},
		{Name: "PostgreSQL", Run: e.postgres},
		{Name: "Qdrant", Run: e.qdrant},
		{Name: "Ollama", Run: e.ollama},
		{Name: "model", Run: e.model},
		{Name: "index", Run: e.index},
		{Name: "recall", Run: e.recall},
		{Name: "analysis", Run: analysis},
	}
}

// examiner asks the parts. Where they are it knows from the settings, and from
// the daemon if one runs.
type examiner struct {
	cfg    config.Config
	daemon config.Daemon // zero if none runs
}

const startHint = `start it with "mneme up"`

// address returns where a part is: the setting, or what the daemon says.
func (e examiner) address(service, given, part string) (string, error) {
	if given != "" {
		return given, nil
	}
	if s := e.daemon.Services[service]; s.Address != "" {
		return s.Address, nil
	}
	return "", memory.Down(part, startHint, fmt.Errorf("nobody knows where it is: mneme is not running"))
}

func (e examiner) dialTemporal(ctx context.Context) (client.Client, string, error) {
	address, err := e.address(config.TemporalService, e.cfg.Temporal.Address, "Temporal")
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	cfg := e.cfg.Temporal
	cfg.Address = address
	c, err := temporal.Dial(ctx, cfg, nil)
	if memory.CodeOf(err) == memory.Unavailable && e.cfg.Temporal.Address == "" {
		err = memory.Down("Temporal", `"mneme down", then "mneme up"`, errors.Unwrap(err))
	}
	return c, address, err
}

func (e examiner) temporal(ctx context.Context) (string, error) {
	c, address, err := e.dialTemporal(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	info, err := c.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return "", memory.Down("Temporal", "check MNEME_TEMPORAL_ADDRESS", err)
	}
	_, err = c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: e.cfg.Temporal.Namespace})
	if err != nil {
		return "", memory.Down("Temporal", "make the namespace, or set MNEME_TEMPORAL_NAMESPACE", fmt.Errorf("namespace %s: %w", e.cfg.Temporal.Namespace, err))
	}
	return fmt.Sprintf("%s at %s, namespace %s", info.GetServerVersion(), address, e.cfg.Temporal.Namespace), nil
}

// analysis tells whether there can be one.
func analysis(context.Context) (string, error) {
	if !analytics.Linked {
		return "", cli.Warning{Err: analytics.ErrNotLinked}
	}
	return "DuckDB is linked in", nil
}

// fresh is how long ago a worker that works has polled at most: a poll lasts a minute.
const fresh = 3 * time.Minute

func (e examiner) worker(ctx context.Context) (string, error) {
	c, _, err := e.dialTemporal(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	seen := map[string]bool{}
	for _, kind := range []enumspb.TaskQueueType{enumspb.TASK_QUEUE_TYPE_WORKFLOW, enumspb.TASK_QUEUE_TYPE_ACTIVITY} {
		queue, err := c.DescribeTaskQueue(ctx, workflows.TaskQueue, kind)
		if err != nil {
			return "", memory.Down("the worker", "see Temporal above", err)
		}
		polling := 0
		for _, p := range queue.GetPollers() {
			if time.Since(p.GetLastAccessTime().AsTime()) < fresh {
				polling++
				seen[p.GetIdentity()] = true
			}
		}
		if polling == 0 {
			return "", memory.Down("the worker", `start one with "mneme up" or mneme-worker`,
				fmt.Errorf("nobody asks the queue %s for work", workflows.TaskQueue))
		}
	}
	return fmt.Sprintf("%s on the queue %s", count(len(seen), "worker", "workers"), workflows.TaskQueue), nil
}

// count returns "1 memory", "2 memories".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
