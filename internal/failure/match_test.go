package failure

import (
	"strings"
	"testing"

	"github.com/mneme-memory/mneme/internal/lexis"
)

// Told in other words, or seen in another place, it is the same error.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, output, note string }{
		{"mvn verify", "[ERROR] sun.security.validator.ValidatorException: PKIX path building failed: unable to find valid certification path", "PKIX path building failed means the corporate CA is missing: import it into the JDK."},
		{"python a.py", "ModuleNotFoundError: No module named 'cv2'", "No module named 'cv2' on the build agents: it is opencv-python-headless there."},
		{"npm start", "Error: listen EADDRINUSE: address already in use :::4200", "EADDRINUSE on 4200: the old preview server, stop it with `npm run preview:stop`."},
		{"docker push x", "denied: requested access to the resource is denied", "docker push says 'requested access to the resource is denied' when the login has expired; docker login again."},
		{"yarn build", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", "JavaScript heap out of memory in yarn build: NODE_OPTIONS=--max-old-space-size=4096."},
		{"cargo build", "error[E0433]: failed to resolve: use of undeclared crate or module `tokio_util`", "E0433 about tokio_util: the feature codec of tokio-util must be on."},
		{"git push", "remote: error: GH006: Protected branch update failed for refs/heads/main.", "GH006 protected branch update failed: main takes pull requests only."},
		{"psql app", "ERROR:  permission denied for table invoices", "Beim Fehler 'permission denied for table invoices' fehlt die Rolle app_read: grant app_read to USER."},
		{"pip install x", "ERROR: Could not find a version that satisfies the requirement torch==2.0.1+cu118", "Could not find a version that satisfies the requirement torch: pass --extra-index-url of the company mirror."},
		{"./pump.sh", "Error: pump firmware rejected: signature of block 17 is missing", "The firmware was rejected because its signature was missing; the fix was to run ./sign.sh --key depot."},
		{"./export", "export failed: the ledger of the branch was closed before the booking", "Bookings into a ledger that was closed fail at the export of that branch. Fix: reopen it with `ledger open`."},
	} {
		if got := Read(c.command, c.output).Score(c.note); got < 1 {
			t.Errorf("%.2f: %s | %s", got, c.output, c.note)
		}
	}
}

// The same kind of error for another reason, or the same place with another
// error, is another one.
func TestOtherCausesDoNotFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, output, note string }{
		{"python a.py", "ModuleNotFoundError: No module named 'requests'", "ModuleNotFoundError: No module named 'ingest' in pytest. Fix: pip install -e ."},
		{"npm start", "Error: listen EADDRINUSE: address already in use :::8080", "Error: listen EADDRINUSE: address already in use :::3100. Fix: `npx kill-port 3100`."},
		{"tsc", "src/cart.ts(1,2): error TS2322: Type 'number' is not assignable to type 'Date'.", "TS2322: Type 'string | undefined' is not assignable to type 'string' in env.ts. Fix: use requireEnv."},
		{"cat x", "cat: notes.txt: No such file or directory", "No such file or directory: config/secrets.yml. Fix: copy secrets.example.yml."},
		{"./deploy.sh", "bash: ./deploy.sh: Permission denied", "Permission denied (publickey) on new machines: the user is 'ops'."},
		{"go test ./...", "--- FAIL: TestTotal\n    pay_test.go:12: got 3, want 4", "--- FAIL: TestRound in pay_test.go: banker's rounding, use math.RoundToEven."},
		{"pytest", "E   KeyError: 'price'", "KeyError: 'tenant' in pytest: the fixture needs --tenant."},
		{"curl localhost:9000", "curl: (7) Failed to connect to localhost port 9000: Connection refused", "connect ECONNREFUSED 127.0.0.1:6390: the test Redis is down, `docker compose up redis-test`."},
		{"make", "make: *** No rule to make target 'docs'.  Stop.", "make: *** No rule to make target 'proto'. Fix: run `make setup` once."},
		{"docker build .", "ERROR: failed to solve: node:25: not found", "docker build fails with 'failed to solve: exit code 137' when Docker Desktop has less than 6 GB."},
		{"kubectl apply -f x", "error: the namespace from the provided object \"a\" does not match the namespace \"b\"", "kubectl apply says 'forbidden: exceeded quota' in the namespace b: ask ops for 4 more CPUs."},
		{"git commit", "error: pathspec 'x' did not match any file(s) known to git", "git push is rejected (fetch first) when CI has bumped the version: git pull --rebase."},
		{"ruff check", "a.py:1:1: F401 `os` imported but unused", "ruff reports F841 for `rows` in jobs/dedupe.py, which is on purpose: noqa."},
		{"npm test", "Tests: 1 failed, 30 passed\nexpected 3 received 4", "Jest hangs at the end because the Redis client stays open."},
		{"./pump.sh", "Error: pump firmware rejected: signature of block 17 is missing", "The pump was delivered with firmware that has a missing feature: no signature of the operator."},
		{"./export", "export failed: the ledger of the branch was closed before the booking", "The branch of the ledger team was closed."},
	} {
		if got := Read(c.command, c.output).Score(c.note); got >= 1 {
			t.Errorf("%.2f: %s | %s", got, c.output, c.note)
		}
	}
}

// The matched text is the error's own, whatever its length.
func TestHostileReports(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", strings.Repeat("error ", 1<<18), strings.Repeat("a_b/c.d:1 ", 1<<16), "\xff\x00\x1b[31m", strings.Repeat("'", 1<<16)} {
		r := Read(text, text)
		if r.Fits("") || r.Fits("error") {
			t.Error("fits nothing")
		}
		r.Score(text)
	}
}

// Each phrase is said by its example.
func TestSymptomsHaveExamples(t *testing.T) {
	t.Parallel()
	for _, table := range []lexis.Table{hangs, garbles, memories, certificates, locks, quotas, disks, hostNames, borrows} {
		for _, p := range table {
			if !lexis.Within(lexis.Table{p}).Match(p.Example()) {
				t.Errorf("%q does not say %s", p.Example(), p.Expr())
			}
		}
	}
}

func TestWeightsHaveExamples(t *testing.T) {
	t.Parallel()
	for _, table := range []lexis.Table{world, typing, asserting} {
		for _, p := range table {
			if !lexis.Anywhere(lexis.Table{p}).Match(p.Example()) {
				t.Errorf("%q does not say %s", p.Example(), p.Expr())
			}
		}
	}
}
