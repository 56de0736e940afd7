package temporal_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdktemporal "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	embedded "github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/temporal"
	"github.com/mneme-memory/mneme/internal/testkit/wait"
)

// secret stands in everything that the workflow below is given, does and answers.
const secret = "quokka-lighthouse-7391"

// everything sends a text in all the ways that workflows of ours have: input, result, local
// and durable steps, what they report, why they failed, updates and why those were refused.
func everything(ctx workflow.Context, text string) (string, error) {
	done := false
	err := workflow.SetUpdateHandler(ctx, "say", func(ctx workflow.Context, text string) (string, error) {
		defer func() { done = true }()
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Second})
		var out string
		err := workflow.ExecuteLocalActivity(ctx, func(_ context.Context, s string) (string, error) { return s + s, nil }, text).Get(ctx, &out)
		return out, err
	})
	if err != nil {
		return "", err
	}
	if err := workflow.SetUpdateHandler(ctx, "refuse", func(_ workflow.Context, text string) error {
		return sdktemporal.NewApplicationError("it says "+text, "invalid", text)
	}); err != nil {
		return "", err
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: time.Minute,
		RetryPolicy: &sdktemporal.RetryPolicy{InitialInterval: 200 * time.Millisecond},
	})
	var out string
	if err := workflow.ExecuteActivity(ctx, "Fails", text).Get(ctx, &out); err != nil {
		return "", err
	}
	return out, workflow.Await(ctx, func() bool { return done })
}

// TestNothingIsReadable runs the workflow on a real server and looks for the text in every
// file of the server. A client with the key reads the same text.
func TestNothingIsReadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := config.Temporal{Namespace: "default", KeyFile: filepath.Join(t.TempDir(), "payload.keys")}
	codec, err := temporal.Codec(cfg)
	check(t, err)
	srv, err := embedded.Start(t.Context(), embedded.Options{Dir: dir, UICodec: converter.NewPayloadCodecHTTPHandler(codec)})
	check(t, err)
	stop := func() { check(t, srv.Stop()) }
	t.Cleanup(stop)
	cfg.Address = srv.Addr()
	c, err := temporal.Dial(t.Context(), cfg, nil)
	check(t, err)
	t.Cleanup(c.Close)

	mend := make(chan struct{})
	w := worker.New(c, "q", worker.Options{})
	w.RegisterWorkflowWithOptions(everything, workflow.RegisterOptions{Name: "everything"})
	w.RegisterActivityWithOptions(func(ctx context.Context, text string) (string, error) {
		activity.RecordHeartbeat(ctx, "at "+text)
		select {
		case <-mend:
			return text, nil
		default:
			return "", errors.New("cannot keep " + text)
		}
	}, activity.RegisterOptions{Name: "Fails"})
	check(t, w.Start())
	t.Cleanup(w.Stop)

	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: "q", Memo: map[string]any{"m": secret}}, "everything", secret)
	check(t, err)
	wait.Until(t, "the step's failure can be read", func() bool {
		d, err := c.DescribeWorkflowExecution(t.Context(), "w", "")
		if err != nil || len(d.GetPendingActivities()) == 0 || d.GetPendingActivities()[0].GetLastFailure() == nil {
			return false
		}
		failed := sdktemporal.GetDefaultFailureConverter().FailureToError(d.GetPendingActivities()[0].GetLastFailure())
		return strings.Contains(failed.Error(), "cannot keep "+secret)
	})
	if _, err := update(t, c, "refuse"); err == nil || !strings.Contains(err.Error(), "it says "+secret) {
		t.Errorf("the refusal says %v", err)
	}
	shownByUI(t, srv.UIURL())
	close(mend)
	if got, err := update(t, c, "say"); err != nil || got != secret+secret {
		t.Errorf("the update: %q, %v", got, err)
	}
	var got string
	if err := run.Get(t.Context(), &got); err != nil || got != secret {
		t.Errorf("the workflow: %q, %v", got, err)
	}
	otherKey(t, cfg)
	stop()
	searched(t, dir)
}

// update asks the workflow, and returns its answer.
func update(t *testing.T, c client.Client, name string) (string, error) {
	t.Helper()
	h, err := c.UpdateWorkflow(t.Context(), client.UpdateWorkflowOptions{
		WorkflowID: "w", UpdateName: name, Args: []any{secret}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return "", err
	}
	var out string
	return out, h.Get(t.Context(), &out)
}

// shownByUI asks as the web interface does: for the settings, for the history, which is
// sealed, and for the codec, which opens it.
func shownByUI(t *testing.T, ui string) {
	t.Helper()
	ask := func(method, path string, body []byte) string {
		req, err := http.NewRequestWithContext(t.Context(), method, ui+path, bytes.NewReader(body))
		check(t, err)
		resp, err := http.DefaultClient.Do(req)
		check(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		check(t, err)
		return string(text)
	}
	if settings := ask(http.MethodGet, "/api/v1/settings", nil); !strings.Contains(settings, ui+"/codec") {
		t.Errorf("the settings name no codec: %s", settings)
	}
	history := ask(http.MethodGet, "/api/v1/namespaces/default/workflows/w/history", nil)
	var answer workflowservice.GetWorkflowExecutionHistoryResponse
	check(t, protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal([]byte(history), &answer))
	sealed := answer.GetHistory().GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetInput()
	if strings.Contains(sealed.String(), secret) || len(sealed.GetPayloads()) != 1 {
		t.Errorf("the history holds %v", sealed)
	}
	body, err := protojson.Marshal(sealed)
	check(t, err)
	var opened commonpb.Payloads
	check(t, protojson.Unmarshal([]byte(ask(http.MethodPost, "/codec/decode", body)), &opened))
	var text string
	if err := converter.GetDefaultDataConverter().FromPayloads(&opened, &text); err != nil || text != secret {
		t.Errorf("the codec opens %q, %v", text, err)
	}
	if encoded := ask(http.MethodPost, "/codec/encode", body); strings.Contains(encoded, "payloads") {
		t.Errorf("the codec encrypts for anybody: %s", encoded)
	}
}

// otherKey is told which key it lacks, and where it belongs.
func otherKey(t *testing.T, cfg config.Temporal) {
	t.Helper()
	cfg.KeyFile = filepath.Join(t.TempDir(), "other.keys")
	c, err := temporal.Dial(t.Context(), cfg, nil)
	check(t, err)
	defer c.Close()
	err = c.GetWorkflow(t.Context(), "w", "").Get(t.Context(), new(string))
	if err == nil || !strings.Contains(err.Error(), "encrypted with the key") || !strings.Contains(err.Error(), cfg.KeyFile) {
		t.Errorf("with another key: %v", err)
	}
}

// searched looks for the text in every file, and for something that must be there.
func searched(t *testing.T, dir string) {
	t.Helper()
	found := false
	check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s holds the text", path)
		}
		found = found || bytes.Contains(text, []byte("everything"))
		return err
	}))
	if !found {
		t.Error("the name of the workflow is in no file: the search sees too little")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
