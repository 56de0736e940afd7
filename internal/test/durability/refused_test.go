package durability

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mneme-memory/mneme/internal/qdrant"
	"github.com/mneme-memory/mneme/internal/testkit"
)

// refusing is one way for a part to refuse, and its end.
type refusing struct {
	name          string
	hint          string // what whoever asks is told among other things
	breakIt, mend func(t *testing.T)
	seldom        bool // only in the long form of the tests
	// astray says that a point which is deleted meanwhile is deleted in another
	// collection, and comes back with the right one.
	astray bool
}

func how(name, hint string, breakIt, mend func(*testing.T)) refusing {
	return refusing{name: name, hint: hint, breakIt: breakIt, mend: mend}
}

func seldom(w refusing) refusing {
	w.seldom = true
	return w
}

func astray(w refusing) refusing {
	w.astray = true
	return w
}

// TestRefused has each part refuse in one way after the other while everything
// that can be accepted is asked for, and mends it: all of that takes effect, once,
// and nothing that was forgotten is shown again.
func TestRefused(t *testing.T) {
	t.Parallel()
	for part, make := range map[string]func(*testing.T) (*lane, []refusing){
		"Qdrant": refusingQdrant, "PostgreSQL": refusingPostgres, "Ollama": refusingOllama,
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			l, ways := make(t)
			l.restart()
			l.warm("before")
			for _, w := range ways {
				if w.seldom && !long() {
					continue
				}
				began := time.Now()
				a := newDemand(t, l, part, w)
				a.prepare()
				w.breakIt(t)
				a.ask()
				w.mend(t)
				a.check()
				t.Logf("%s: mended after %s", w.name, time.Since(began).Round(time.Second))
			}
			if err := l.worker.stop(); err != nil {
				t.Errorf("the worker ended: %v\n%s", err, l.worker.said())
			}
		})
	}
}

// refusingQdrant restarts a Qdrant with other keys and on other data, and has
// the proxy in front of it give the answers that only a large or a full one gives.
func refusingQdrant(t *testing.T) (*lane, []refusing) {
	s, dir := newServices(t), filepath.Join(t.TempDir(), "qdrant")
	right := keys{all: "the right key"}
	p, addr := serveQdrant(t, "", dir, right)
	s.qdrant, s.qdrantKey = addr, right.all
	l := newLane(t, "refused-qdrant", s, 0)
	restart := func(dir string, k keys) func(*testing.T) {
		return func(t *testing.T) {
			p.kill()
			p, _ = serveQdrant(t, addr, dir, k)
		}
	}
	answers := func(code codes.Code, text string, writes bool) func(*testing.T) {
		return func(*testing.T) {
			l.gate.refuse(refusal{qdrant: func(method string) error {
				if writes && method != "Upsert" && method != "Delete" && method != "Create" {
					return nil
				}
				return status.Error(code, text)
			}})
		}
	}
	// made has the server come back with collections that somebody else made.
	made := func(dimension int, of qdrant.Ledger) func(*testing.T) {
		return func(t *testing.T) {
			restart(filepath.Join(t.TempDir(), "qdrant"), right)(t)
			if err := openIndex(t, s, of).EnsureCollections(t.Context(), dimension); err != nil {
				t.Fatal(err)
			}
		}
	}
	mend := restart(dir, right)
	obey := func(*testing.T) { l.gate.refuse(refusal{}) }
	return l, []refusing{
		how("another-key", "MNEME_QDRANT_API_KEY", restart(dir, keys{all: "another key"}), mend),
		how("read-only-key", "MNEME_QDRANT_API_KEY", restart(dir, keys{all: "another key", readOnly: right.all}), mend),
		astray(how("another-dimension", "mneme rebuild", made(7, l.eyes.ledger), mend)),
		seldom(how("another-ledger", "MNEME_QDRANT_PREFIX", made(384, stranger{}), mend)),
		how("disk-full", "disk", answers(codes.Internal, "Service internal error: No space left on device: WAL buffer size exceeds available disk space", true), obey),
		seldom(how("quota", "limit", answers(codes.ResourceExhausted, "Rate limiting exceeded: Write rate limit exceeded, retry later", false), obey)),
		seldom(how("locked", "unlock", answers(codes.FailedPrecondition, "Write operations are forbidden", true), obey)),
	}
}

// stranger is another ledger.
type stranger struct{}

func (stranger) Identity(context.Context) (string, error) {
	return "7d2c1c5e-9d0a-4f6e-8a55-0c1d2e3f4a5b", nil
}

func (stranger) Wrote(context.Context, map[string]string) (bool, error) { return false, nil }

// asOwner runs statements before there is a ledger.
func asOwner(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// refusingPostgres changes the settings, rights and tables of a PostgreSQL of the
// test's own, which the worker uses with a role that is not allowed everything.
func refusingPostgres(t *testing.T) (*lane, []refusing) {
	s := newServices(t)
	owner := testkit.Schema(t, startPostgres(t, t.TempDir()).URL())
	s.postgres = owner + "&role=mneme_app"
	s.postgresOwner = owner
	asOwner(t, owner, `create role mneme_app`,
		`do $$ begin execute format('grant all on schema %I to mneme_app', current_schema()); end $$`)
	l := newLane(t, "refused-postgres", s, 0)
	all := func(statements ...string) func(*testing.T) {
		return func(t *testing.T) {
			for _, sql := range statements {
				l.eyes.exec(t, sql)
			}
		}
	}
	// hangUp ends the worker's connections, and waits until they are.
	hangUp := all(`select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name = 'mneme'`)
	const everyTable = `do $$ declare t text; begin for t in select tablename from pg_tables where schemaname = current_schema() loop execute format('%s', t); end loop; end $$`
	return l, []refusing{
		how("read-only", "read-only", func(t *testing.T) {
			all(`alter system set default_transaction_read_only = on`, `select pg_reload_conf()`)(t)
			eventually(t, func(context.Context) string { // the server reads it anew when it comes to that
				l.eyes.pool.Reset()
				if l.eyes.count(t, `select count(*) from pg_settings where name = 'default_transaction_read_only' and setting = 'on'`) == 0 {
					return "the server is not read-only"
				}
				return ""
			})
			hangUp(t)
		}, all(`set default_transaction_read_only = off`, `alter system reset default_transaction_read_only`, `select pg_reload_conf()`)),
		how("no-rights", "grant", all(fmt.Sprintf(everyTable, `revoke all on %I from mneme_app`)), all(fmt.Sprintf(everyTable, `grant all on %I to mneme_app`))),
		how("another-schema", "version", all(`alter table memory_versions rename column action to deed`), all(`alter table memory_versions rename column deed to action`)),
		how("disk-full", "disk", all(
			`create function no_room() returns trigger language plpgsql as $$ begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
			`create trigger no_room before insert or update on memories for each statement execute function no_room()`,
			`create trigger no_room before insert or update on memory_links for each statement execute function no_room()`),
			all(`drop function no_room() cascade`)),
		how("another-password", "password", func(t *testing.T) {
			l.gate.refuse(refusal{postgres: "28P01"})
			hangUp(t)
		}, func(*testing.T) { l.gate.refuse(refusal{}) }),
		seldom(how("no-connections", "connections", func(t *testing.T) {
			l.gate.refuse(refusal{postgres: "53300"})
			hangUp(t)
		}, func(*testing.T) { l.gate.refuse(refusal{}) })),
	}
}

// refusingOllama has the proxy in front of Ollama answer as an Ollama does without
// the model, and one that wants to know who asks.
func refusingOllama(t *testing.T) (*lane, []refusing) {
	l := newLane(t, "refused-ollama", newServices(t), 0)
	obey := func(*testing.T) { l.gate.refuse(refusal{}) }
	answers := func(code int, message string) func(*testing.T) {
		return func(*testing.T) { l.gate.refuse(refusal{ollama: code, message: message}) }
	}
	return l, []refusing{
		how("no-model", "ollama pull", answers(http.StatusNotFound, `model "mneme-static" not found, try pulling it first`), obey),
		how("another-key", "sign in", answers(http.StatusUnauthorized, "unauthorized"), obey),
		seldom(how("no-rights", "sign in", answers(http.StatusForbidden, "forbidden"), obey)),
		seldom(how("quota", "limit", answers(http.StatusTooManyRequests, "too many requests"), obey)),
		seldom(how("disk-full", "disk", answers(http.StatusInternalServerError, "write blobs: no space left on device"), obey)),
	}
}
