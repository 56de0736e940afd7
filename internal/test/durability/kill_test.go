package durability

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	pb "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/mneme-memory/mneme/internal/testkit"
	"github.com/mneme-memory/mneme/memory"
)

// newServices is what a test does not stop or kill.
func newServices(t testing.TB) services {
	t.Helper()
	return services{
		temporal: temporalAddr, postgres: testkit.Schema(t, postgresURL),
		qdrant: anyQdrant(t), ollama: modelURL,
	}
}

// long reports whether the tests may take their time.
func long() bool { return os.Getenv("MNEME_TEST_LONG") != "" }

// The texts that the tests store.
const (
	text    = "The API listens on port 8443 behind the proxy."
	nearly  = "API listens on port 8443, behind the proxy"
	another = "Backups run every night at three."
)

// collection is where facts are.
func collection() string { return memory.CollectionOf(memory.TypeFact) }

// shared gives all lanes the same services, with a PostgreSQL that has
// connections enough for them.
func shared(t testing.TB) func() services {
	t.Helper()
	s := newServices(t)
	if os.Getenv(testkit.PostgresURLEnv) == "" {
		s.postgres = startPostgres(t, t.TempDir()).URL()
	}
	return func() services { return s }
}

// apart gives each lane a schema of its own in a PostgreSQL of the test's own, which has
// connections enough for them.
func apart(t testing.TB) func() services {
	t.Helper()
	server := ownPostgres(t)
	return func() services {
		s := newServices(t)
		s.postgres = testkit.Schema(t, server)
		return s
	}
}

// ownPostgres starts a PostgreSQL for one test, because each allows 50 connections only, and
// returns its URL; or that of the one that all tests were given.
func ownPostgres(t testing.TB) string {
	t.Helper()
	if given := os.Getenv(testkit.PostgresURLEnv); given != "" {
		return given
	}
	return startPostgres(t, t.TempDir()).URL()
}

// TestKillWhileStoring kills the worker at every message of a store.
func TestKillWhileStoring(t *testing.T) {
	t.Parallel()
	takeTurn(t)
	killAtEach(t, scenario{lanes: 6, every: 1, call: func(l *lane, project string) {
		l.store(project, text)
	}}, shared(t))
}

// TestKillWhileStoringFirst does the same to the first store of all, which
// also notes the model and creates the collections.
func TestKillWhileStoringFirst(t *testing.T) {
	t.Parallel()
	takeTurn(t)
	killAtEach(t, scenario{
		lanes: 4, every: 24,
		prepare: func(l *lane, _ string) {
			l.worker.kill()
			l.forgetCollections()
			l.restart()
		},
		call: func(l *lane, project string) { l.store(project, text) },
	}, apart(t))
}

// forgetCollections makes the next store the first one again.
func (l *lane) forgetCollections() {
	l.eyes.exec(l, `delete from settings where key <> 'ledger'`) // the model; its identity a ledger keeps
	conn, err := grpc.NewClient(l.eyes.qdrant, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		l.Errorf("dial Qdrant: %v", err)
		return
	}
	defer conn.Close()
	for _, name := range memory.Collections() {
		if _, err := pb.NewCollectionsClient(conn).Delete(l.Context(), &pb.DeleteCollection{CollectionName: name}); err != nil {
			l.Errorf("drop %s: %v", name, err)
		}
	}
}

// TestKillWhileForgetting kills the worker at messages of a forget.
func TestKillWhileForgetting(t *testing.T) {
	t.Parallel()
	takeTurn(t)
	killAtEach(t, scenario{
		lanes: 4, every: 6,
		prepare: func(l *lane, project string) { l.store(project, text) },
		call: func(l *lane, project string) {
			ctx, cancel := context.WithTimeout(l.Context(), patience)
			defer cancel()
			r, err := l.client.Forget(ctx, memory.ForgetInput{Filter: memory.Filter{Project: project}})
			done := err == nil && r.Count == 1 && len(r.IDs) == 1 && r.Verified
			if !done && !toldLater(err) {
				l.Errorf("%s: told %+v, %v; want one forgotten and verified, or that it will be", project, r, err)
			}
			l.eyes.checkForgottenOnce(l, project, text)
		},
	}, shared(t))
}

// toldLater reports whether a caller was told that it is not done yet, and
// will be.
func toldLater(err error) bool {
	return memory.CodeOf(err) == memory.Unavailable && strings.Contains(err.Error(), "accepted")
}

// TestKillWhileImporting kills the worker at messages of an import's batch.
func TestKillWhileImporting(t *testing.T) {
	t.Parallel()
	takeTurn(t)
	killAtEach(t, scenario{lanes: 4, every: 6, call: func(l *lane, project string) {
		ctx, cancel := context.WithTimeout(l.Context(), patience)
		defer cancel()
		items := []memory.StoreInput{{Text: text, Project: project}, {Text: another, Project: project}, {Text: text, Project: project}}
		r, err := l.client.ImportBatch(ctx, project, memory.ImportBatch{Items: items})
		if err != nil || r.Batches != 1 || r.Stored != 2 || r.Existing != 1 {
			l.Errorf("%s: told %+v, %v; want 2 stored, 1 existing", project, r, err)
		}
		if n := l.eyes.count(l, `select count(*) from memories where project = $1 and state = 'live' and not dirty`, project); n != 2 {
			l.Errorf("%s: %d memories are stored and indexed, want 2", project, n)
		}
		if n := l.eyes.count(l, `select count(*) from memory_audit where project = $1 and action = 'import'`, project); n != 2 {
			l.Errorf("%s: %d audit rows, want 2", project, n)
		}
		if r, err := l.client.ImportFinish(ctx, project); err != nil || r.Stored != 2 {
			l.Errorf("%s: finish: %+v, %v", project, r, err)
		}
	}}, shared(t))
}

// TestKillWhileOrganizing kills the worker at messages of an organize run
// that has two memories to merge.
func TestKillWhileOrganizing(t *testing.T) {
	t.Parallel()
	takeTurn(t)
	killAtEach(t, scenario{
		lanes: 4, every: 24, // a database each: two runs never organize one at once
		prepare: func(l *lane, project string) {
			items := []memory.StoreInput{{Text: text, Project: project}, {Text: nearly, Project: project}}
			eventually(l, func(ctx context.Context) string {
				if _, err := l.client.ImportBatch(ctx, project, memory.ImportBatch{Items: items}); err != nil {
					return fmt.Sprintf("%s: import: %v", project, err)
				}
				return ""
			})
		},
		call: func(l *lane, project string) {
			ctx, cancel := context.WithTimeout(l.Context(), patience)
			defer cancel()
			r, err := l.client.Organize(ctx, memory.OrganizeInput{Project: project, Collections: []string{collection()}}, nil)
			if err != nil || len(r.Collections) != 1 || r.Collections[0].Merged != 1 {
				l.Errorf("%s: told %+v, %v; want 1 merged", project, r, err)
			}
			for state, sql := range map[string]string{
				"live":            `select count(*) from memories where project = $1 and state = 'live' and not dirty`,
				"merged":          `select count(*) from memories where project = $1 and state = 'merged' and not dirty`,
				"merge in audit":  `select count(*) from memory_audit where project = $1 and action = 'merge'`,
				"report in audit": `select count(*) from memory_audit where project = $1 and action = 'organize'`,
			} {
				if n := l.eyes.count(l, sql, project); n != 1 {
					l.Errorf("%s: %d rows are %s, want 1", project, n, state)
				}
			}
		},
	}, apart(t))
}

// TestKillWhileStarting kills the worker at messages of its own start, on an
// empty database, together with another one that starts. How many messages
// there are depends on which of the two migrates.
func TestKillWhileStarting(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	s.namespace = "starting"
	makeNamespace(t, s)
	server := ownPostgres(t)
	var kills atomic.Int64
	t.Cleanup(func() {
		if kills.Load() == 0 {
			t.Error("no worker was killed: the test shows nothing")
		}
	})
	for at := 1; at <= 49; at += 12 {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			s := s
			s.postgres = testkit.Schema(t, server)
			started := make(chan *process, 1)
			g := &gate{kill: func() { (<-started).kill() }}
			hit := g.arm(at)
			victim, ready := start(t, workerCommand(t, s.through(t, g)), isWorking)
			started <- victim
			beside := startWorker(t, s)
			select {
			case <-hit:
				kills.Add(1)
			case <-ready:
				victim.kill()
			}
			for _, w := range []*process{beside, startWorker(t, s)} {
				if err := w.stop(); err != nil {
					t.Errorf("a worker ended: %v\n%s", err, w.said())
				}
			}
			if n := openEyes(t, s).count(t, `select count(*) from mneme_migrations where version_id = 1 and is_applied`); n != 1 {
				t.Errorf("the first migration was noted %d times", n)
			}
		})
	}
}
