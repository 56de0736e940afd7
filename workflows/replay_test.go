package workflows_test

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mneme-memory/mneme/activities"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/workflows"
)

// registered collects the names of what is put on a worker.
type registered struct {
	worker.WorkflowReplayer

	names []string
}

func (r *registered) RegisterWorkflow(w any) {
	name := runtime.FuncForPC(reflect.ValueOf(w).Pointer()).Name()
	r.names = append(r.names, name[strings.LastIndex(name, ".")+1:])
	r.WorkflowReplayer.RegisterWorkflow(w)
}

func everyWorkflow(t *testing.T) *registered {
	t.Helper()
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
		DisableDeadlockDetection: true, // a machine may have other things to do for a second
	})
	check(t, err)
	r := &registered{WorkflowReplayer: replayer}
	workflows.Register(r)
	return r
}

// TestHistoriesReplay replays what workflows of this and of older versions
// did. A failure means that a run which is under way when a new version is
// started would be stuck: see the package's documentation on how to change a
// workflow.
func TestHistoriesReplay(t *testing.T) {
	t.Parallel()
	r := everyWorkflow(t)
	if len(r.names) < 14 {
		t.Fatalf("only %v are registered", r.names)
	}
	for _, name := range r.names {
		files, err := filepath.Glob(filepath.Join(historyDir, name, "*.json"))
		check(t, err)
		if len(files) == 0 {
			t.Errorf("%s has no history: add a scenario and run \"make history\"", name)
		}
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				if got := workflowOf(readHistory(t, file)); got != name {
					t.Errorf("it is a history of %s", got)
				}
				if err := r.ReplayWorkflowHistoryFromJSONFile(silent(), file); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestHistoriesOfUnknownWorkflows looks for folders that nothing replays.
func TestHistoriesOfUnknownWorkflows(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range everyWorkflow(t).names {
		known[name] = true
	}
	dirs, err := os.ReadDir(historyDir)
	check(t, err)
	for _, d := range dirs {
		if !known[d.Name()] {
			t.Errorf("%s is no workflow: histories of one that was removed go with it", d.Name())
		}
	}
}

// TestReplayFindsAChange replays a store's history with a workflow that
// forgot to embed: if that passed, no other replay would mean anything.
func TestReplayFindsAChange(t *testing.T) {
	t.Parallel()
	changed := func(ctx workflow.Context, in memory.StoreInput) (memory.StoreResult, error) {
		var out memory.StoreResult
		var acts *activities.Activities
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: patience})
		err := workflow.ExecuteLocalActivity(ctx, acts.SaveMemory, activities.SaveInput{Store: in}).Get(ctx, &out)
		return out, err
	}
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(changed, workflow.RegisterOptions{Name: "StoreMemory"})
	file := filepath.Join(historyDir, "StoreMemory", "store-plain-1.json")
	if err := replayer.ReplayWorkflowHistoryFromJSONFile(silent(), file); err == nil {
		t.Error("a changed workflow replays as if nothing had happened")
	}
}

// TestHistoriesNameNoMachine holds what the recorder scrubs.
func TestHistoriesNameNoMachine(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(historyDir, "*", "*.json"))
	check(t, err)
	if len(files) == 0 {
		t.Fatal("there are no histories")
	}
	for _, file := range files {
		eachMessage(readHistory(t, file).ProtoReflect(), func(m protoreflect.Message) {
			if f := m.Descriptor().Fields().ByName("identity"); f != nil && m.Has(f) && m.Get(f).String() != "mneme" {
				t.Errorf("%s: identity %q", file, m.Get(f))
			}
			if q, ok := m.Interface().(*taskqueuepb.TaskQueue); ok && q.GetKind() == enumspb.TASK_QUEUE_KIND_STICKY && q.GetName() != sticky {
				t.Errorf("%s: sticky queue %q", file, q.GetName())
			}
			if p, ok := m.Interface().(*commonpb.Payload); ok {
				refusePaths(t, file, string(p.GetData()))
			}
		})
		text, err := os.ReadFile(file)
		check(t, err)
		refusePaths(t, file, string(text))
	}
}

func refusePaths(t *testing.T, file, text string) {
	t.Helper()
	for _, path := range []string{"/root/", "/home/", "/tmp/", "/Users/", `C:\`} {
		if strings.Contains(text, path) {
			t.Errorf("%s: a path below %s", file, path)
		}
	}
}

func readHistory(t *testing.T, file string) *historypb.History {
	t.Helper()
	f, err := os.Open(file)
	check(t, err)
	defer f.Close()
	h, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
	check(t, err)
	return h
}
