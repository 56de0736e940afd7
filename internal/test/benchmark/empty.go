package main

import (
	"context"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// emptyQueue is the task queue of the yardstick, whose worker is in this
// process. The product's worker is in the daemon's: both talk to the server
// over loopback.
const emptyQueue = "benchmark-empty"

// emptyWorkflow does nothing but answer.
func emptyWorkflow(ctx workflow.Context) error {
	done := false
	err := workflow.SetUpdateHandler(ctx, "answer", func(workflow.Context) (string, error) {
		done = true
		return "done", nil
	})
	if err != nil {
		return err
	}
	return workflow.Await(ctx, func() bool { return done })
}

// yardstick runs empty workflows.
type yardstick struct {
	client client.Client
	worker worker.Worker
}

func newYardstick(c client.Client) (*yardstick, error) {
	w := worker.New(c, emptyQueue, worker.Options{})
	w.RegisterWorkflow(emptyWorkflow)
	if err := w.Start(); err != nil {
		return nil, fmt.Errorf("start the worker of empty workflows: %w", err)
	}
	return &yardstick{c, w}, nil
}

func (y *yardstick) stop() { y.worker.Stop() }

// run starts one with an Update and waits for its answer, as the product does.
func (y *yardstick) run(ctx context.Context) (time.Duration, error) {
	return timed(func() error {
		start := y.client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
			ID: fmt.Sprintf("empty/%d", time.Now().UnixNano()), TaskQueue: emptyQueue,
			WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		}, emptyWorkflow)
		handle, err := y.client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
			StartWorkflowOperation: start,
			UpdateOptions:          client.UpdateWorkflowOptions{UpdateName: "answer", WaitForStage: client.WorkflowUpdateStageCompleted},
		})
		if err != nil {
			return fmt.Errorf("run an empty workflow: %w", err)
		}
		var answer string
		return handle.Get(ctx, &answer)
	})
}
