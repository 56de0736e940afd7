package temporal

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// readyTimeout bounds the wait for a server that has started to answer.
const readyTimeout = 30 * time.Second

// ensureNamespace waits until the namespace answers and makes it what opts ask for: the
// file may come from an earlier version, with another retention or fewer attributes.
func ensureNamespace(ctx context.Context, addr string, opts Options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	conn, err := grpc.NewClient("passthrough:///"+addr, secured{opts.TLS}.caller())
	if err != nil {
		return fmt.Errorf("connect to %s: %w", addr, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()

	service := workflowservice.NewWorkflowServiceClient(conn)
	ns, err := waitForNamespace(ctx, service, opts)
	if err != nil {
		return err
	}
	if ns.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration() != opts.Retention {
		if err := setRetention(ctx, service, opts); err != nil {
			return err
		}
	}
	return addAttributes(ctx, operatorservice.NewOperatorServiceClient(conn), opts)
}

// waitForNamespace asks until the server answers, and registers a namespace that is new to
// an existing file.
func waitForNamespace(ctx context.Context, service workflowservice.WorkflowServiceClient, opts Options) (*workflowservice.DescribeNamespaceResponse, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	registered := false
	for {
		ns, err := service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: opts.Namespace})
		if err == nil {
			return ns, nil
		}
		if status.Code(err) == codes.NotFound && !registered {
			registered = true
			if err := register(ctx, service, opts); err != nil {
				return nil, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for namespace %s: %w", opts.Namespace, errors.Join(ctx.Err(), err))
		case <-tick.C:
		}
	}
}

func register(ctx context.Context, service workflowservice.WorkflowServiceClient, opts Options) error {
	_, err := service.RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace:                        opts.Namespace,
		WorkflowExecutionRetentionPeriod: durationpb.New(opts.Retention),
	})
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("register namespace %s: %w", opts.Namespace, err)
	}
	return nil
}

func setRetention(ctx context.Context, service workflowservice.WorkflowServiceClient, opts Options) error {
	_, err := service.UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{
		Namespace: opts.Namespace,
		Config:    &namespacepb.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(opts.Retention)},
	})
	if err != nil {
		return fmt.Errorf("set retention of namespace %s to %s: %w", opts.Namespace, opts.Retention, err)
	}
	return nil
}

// addAttributes registers what is missing. An attribute that exists with another type is
// an error: values already stored under it could not be read any more.
func addAttributes(ctx context.Context, operator operatorservice.OperatorServiceClient, opts Options) error {
	if len(opts.SearchAttributes) == 0 {
		return nil
	}
	have, err := operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: opts.Namespace})
	if err != nil {
		return fmt.Errorf("list search attributes: %w", err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for name, kind := range opts.SearchAttributes {
		switch existing, ok := have.GetCustomAttributes()[name]; {
		case !ok:
			missing[name] = kind
		case existing != kind:
			return fmt.Errorf("register search attribute %s: it exists as %s, not %s", name, existing, kind)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = operator.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: opts.Namespace, SearchAttributes: missing,
	})
	if err != nil {
		return fmt.Errorf("register search attributes: %w", err)
	}
	return nil
}
