package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/mneme-memory/mneme/workflows"
)

// EnsureSearchAttributes registers the search attributes of the workflows in
// a namespace, which a start would be refused without, and returns when
// Temporal takes them.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	list, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("list search attributes: %w", err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		if _, ok := list.GetCustomAttributes()[name]; !ok {
			missing[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
		}
	}
	if len(missing) == 0 {
		return awaitSearchAttributes(ctx, c, namespace)
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace, SearchAttributes: missing,
	})
	var exists *serviceerror.AlreadyExists
	if err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("add search attributes: %w", err)
	}
	return awaitSearchAttributes(ctx, c, namespace)
}

const (
	// learnTimeout is far above what a server takes to learn new attributes: it reads its
	// namespaces anew every two seconds, unless it is configured otherwise.
	learnTimeout = 30 * time.Second
	learnPoll    = 100 * time.Millisecond
)

// awaitSearchAttributes asks for workflows by the attributes until Temporal
// knows them: a new attribute is in Temporal's database at once, but a server
// learns of it later, and until then refuses every start.
func awaitSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, learnTimeout)
	defer cancel()
	var terms []string
	for _, name := range workflows.SearchAttributes() {
		terms = append(terms, name+" = ''")
	}
	query := &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace, Query: strings.Join(terms, " AND ")}
	tick := time.NewTicker(learnPoll)
	defer tick.Stop()
	for {
		_, err := c.CountWorkflow(ctx, query)
		var unknown *serviceerror.InvalidArgument
		if err == nil {
			return nil
		}
		if !errors.As(err, &unknown) {
			return fmt.Errorf("look for the search attributes: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until Temporal knows the search attributes: %w", err)
		case <-tick.C:
		}
	}
}
