package workflows_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/temporalproto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

var record = flag.Bool("record", false, "record histories into testdata (make history)")

// historyDir holds a folder for each workflow, named like it.
const historyDir = "testdata/history"

// TestRecordHistories runs every workflow on real parts and writes down what
// happened. It adds the histories that are not there yet: an existing history
// shows that runs of an older version can go on, so it is never replaced.
func TestRecordHistories(t *testing.T) {
	if !*record {
		t.Skip(`records histories only when asked to: "make history"`)
	}
	for name, scenario := range scenarios() {
		t.Run(name, func(t *testing.T) {
			id := scenario(t)
			for i, history := range id.rig.histories(t, id.workflow) {
				path := filepath.Join(historyDir, workflowOf(history), fmt.Sprintf("%s-%d.json", name, i+1))
				if _, err := os.Stat(path); err == nil {
					t.Logf("%s is there already", path)
					continue
				}
				writeHistory(t, path, history)
			}
		})
	}
}

func workflowOf(h *historypb.History) string {
	return h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName()
}

func writeHistory(t *testing.T, path string, h *historypb.History) {
	t.Helper()
	scrub(h.ProtoReflect())
	plain, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(h)
	check(t, err)
	var out bytes.Buffer
	check(t, json.Indent(&out, plain, "", " ")) // the marshaller's own spaces differ from build to build
	out.WriteByte('\n')
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, out.Bytes(), 0o644))
}

// histories returns the histories of all runs of a workflow, oldest first.
func (r *rig) histories(t *testing.T, id string) []*historypb.History {
	t.Helper()
	var out []*historypb.History
	d, err := r.temporal.DescribeWorkflowExecution(t.Context(), id, "")
	check(t, err)
	for run := d.GetWorkflowExecutionInfo().GetExecution().GetRunId(); run != ""; {
		h := &historypb.History{}
		events := r.temporal.GetWorkflowHistory(t.Context(), id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			check(t, err)
			h.Events = append(h.Events, event)
		}
		out = append([]*historypb.History{h}, out...)
		run = h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId()
	}
	return out
}

// sticky stands for the names of sticky queues, which begin with the
// machine's name.
const sticky = "sticky"

// scrub takes out what names a machine, a process or a binary.
func scrub(m protoreflect.Message) {
	eachMessage(m, func(m protoreflect.Message) {
		fields := m.Descriptor().Fields()
		if f := fields.ByName("identity"); f != nil && m.Has(f) {
			m.Set(f, protoreflect.ValueOfString("mneme"))
		}
		for _, name := range []protoreflect.Name{"binary_checksum", "build_id"} {
			if f := fields.ByName(name); f != nil && f.Kind() == protoreflect.StringKind {
				m.Clear(f)
			}
		}
		if q, ok := m.Interface().(*taskqueuepb.TaskQueue); ok && q.GetKind() == enumspb.TASK_QUEUE_KIND_STICKY {
			q.Name = sticky
		}
		if p, ok := m.Interface().(*commonpb.Payload); ok {
			p.Data = testFolder.ReplaceAll(p.GetData(), []byte("/data"))
		}
	})
}

// testFolder is where [testing.T.TempDir] makes the folder of a scenario.
var testFolder = regexp.MustCompile(regexp.QuoteMeta(os.TempDir()) + `/TestRecordHistories[\w-]+/\d+`)

// eachMessage calls see with a message and all messages in it.
func eachMessage(m protoreflect.Message, see func(protoreflect.Message)) {
	see(m)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
			if f.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					eachMessage(v.Message(), see)
					return true
				})
			}
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				eachMessage(v.List().Get(i).Message(), see)
			}
		default:
			eachMessage(v.Message(), see)
		}
		return true
	})
}

// containsSecret looks for a text in every string and payload of a message.
func containsSecret(m protoreflect.Message, secret string) bool {
	found := false
	eachMessage(m, func(m protoreflect.Message) {
		m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			switch {
			case f.IsList() || f.IsMap():
			case f.Kind() == protoreflect.StringKind:
				found = found || strings.Contains(v.String(), secret)
			case f.Kind() == protoreflect.BytesKind:
				found = found || strings.Contains(string(v.Bytes()), secret)
			}
			return true
		})
	})
	return found
}
