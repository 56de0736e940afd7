package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	pb "github.com/qdrant/go-client/qdrant"

	"github.com/mneme-memory/mneme/internal/assembly"
	"github.com/mneme-memory/mneme/internal/cli"
	"github.com/mneme-memory/mneme/internal/config"
	"github.com/mneme-memory/mneme/internal/ollama"
	"github.com/mneme-memory/mneme/memory"
	"github.com/mneme-memory/mneme/migrations"
)

func (e examiner) postgres(ctx context.Context) (string, error) {
	url, err := e.address(config.PostgresService, e.cfg.Postgres.URL, "PostgreSQL")
	if err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		hint := "check MNEME_POSTGRES_URL, or start it"
		if e.cfg.Postgres.URL == "" {
			hint = `"mneme down", then "mneme up"; its log is postgres/postgres.log in the data folder`
		}
		// The cause alone: pgx quotes the rest of the URL.
		return "", memory.Down("PostgreSQL", hint, fmt.Errorf("no answer at %s: %w", config.MaskURL(url), rootOf(err)))
	}
	defer conn.Close(ctx) //nolint:errcheck // only asked, nothing to lose
	var version string
	if err := conn.QueryRow(ctx, "show server_version").Scan(&version); err != nil {
		return "", memory.Down("PostgreSQL", "see its log", err)
	}
	newest, err := newestMigration()
	if err != nil {
		return version, err
	}
	var applied int
	err = conn.QueryRow(ctx, "select coalesce(max(version_id), 0) from mneme_migrations where is_applied").Scan(&applied)
	var answer *pgconn.PgError
	if errors.As(err, &answer) && answer.Code == "42P01" { // no such table
		err = nil
	}
	switch {
	case err != nil:
		return version, memory.Down("PostgreSQL", "see its log", fmt.Errorf("read the schema's version: %w", err))
	case applied < newest:
		hint := `"mneme down", then "mneme up" brings it up to date`
		if e.daemon.PID == 0 {
			hint = "a worker of this version brings it up to date when it starts"
		}
		return version, memory.Errorf(memory.Conflict, hint, "the schema is at %d of %d", applied, newest)
	case applied > newest:
		return version, memory.Errorf(memory.Conflict, "upgrade this mneme", "the schema is at %d, this mneme knows %d: a newer one made it", applied, newest)
	}
	return fmt.Sprintf("%s, schema %d of %d", version, applied, newest), nil
}

func rootOf(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// newestMigration is the highest number among the files.
func newestMigration() (int, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	newest := 0
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		n, parse := strconv.Atoi(number)
		if parse != nil {
			return 0, fmt.Errorf("number of migration %s: %w", name, parse)
		}
		newest = max(newest, n)
	}
	return newest, err
}

func (e examiner) qdrant(ctx context.Context) (string, error) {
	address, err := e.address(config.QdrantService, e.cfg.Qdrant.Address, "Qdrant")
	if err != nil {
		return "", err
	}
	key, hint := e.cfg.Qdrant.APIKey, "check MNEME_QDRANT_ADDRESS (gRPC, usually port 6334) and MNEME_QDRANT_API_KEY, or start it"
	if e.cfg.Qdrant.Address == "" {
		key, hint = e.daemon.QdrantAPIKey, `"mneme down", then "mneme up"`
	}
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return "", memory.Errorf(memory.Invalid, hint, "address %q: %w", address, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return "", memory.Errorf(memory.Invalid, hint, "address %q: %w", address, err)
	}
	security, err := e.cfg.Qdrant.TLS.Config()
	if err != nil {
		return "", err
	}
	c, err := pb.NewClient(&pb.Config{
		Host: host, Port: port, APIKey: key, UseTLS: security != nil, TLSConfig: security,
		SkipCompatibilityCheck: true, PoolSize: 1,
	})
	if err != nil {
		return "", memory.Down("Qdrant", hint, err)
	}
	defer c.Close()
	health, err := c.HealthCheck(ctx)
	if err != nil {
		return "", memory.Down("Qdrant", hint, fmt.Errorf("no answer at %s: %w", address, err))
	}
	return e.collections(ctx, c, health.GetVersion()+" at "+address, hint)
}

// collections compares what is there with what there should be.
func (e examiner) collections(ctx context.Context, c *pb.Client, detail, hint string) (string, error) {
	var missing []string
	sizes := map[uint64]bool{}
	for _, name := range memory.Collections() {
		exists, err := c.CollectionExists(ctx, name)
		if err != nil {
			return detail, memory.Down("Qdrant", hint, err)
		}
		if !exists {
			missing = append(missing, name)
			continue
		}
		info, err := c.GetCollectionInfo(ctx, name)
		if err != nil {
			return detail, memory.Down("Qdrant", hint, err)
		}
		sizes[info.GetConfig().GetParams().GetVectorsConfig().GetParams().GetSize()] = true
	}
	if len(missing) > 0 {
		return detail, cli.Warning{Err: memory.Errorf(memory.NotFound, `the first store makes them; "mneme rebuild" does too`,
			"%s missing: %s", count(len(missing), "collection is", "collections are"), strings.Join(missing, ", "))}
	}
	if len(sizes) > 1 {
		return detail, memory.Errorf(memory.Conflict, `"mneme rebuild" makes them anew`, "the collections hold vectors of different dimensions")
	}
	for size := range sizes {
		detail += fmt.Sprintf(", %d collections of %d dimensions", len(memory.Collections()), size)
	}
	return detail, nil
}

// embedder is the adapter to the embedding model in use.
func (e examiner) embedder() (*ollama.Embedder, string, error) {
	url, err := e.address(config.OllamaService, e.cfg.Ollama.URL, "Ollama")
	if err != nil {
		return nil, "", err
	}
	model := e.cfg.Ollama.EmbedModel
	if e.daemon.Model != "" {
		model = e.daemon.Model
	}
	if model == "" {
		model = assembly.DefaultModel
	}
	embedder, err := ollama.New(ollama.Options{URL: url, Model: model})
	return embedder, url, err
}

func (e examiner) ollama(ctx context.Context) (string, error) {
	embedder, url, err := e.embedder()
	if err != nil {
		return "", err
	}
	version, err := embedder.Version(ctx)
	if err != nil {
		return "", err // the adapter's errors say what to do
	}
	detail := version + " at " + config.MaskURL(url)
	has, err := embedder.HasModel(ctx)
	if err != nil {
		return detail, err
	}
	if !has {
		return detail, memory.Down("Ollama", "ollama pull "+embedder.Model(), fmt.Errorf("it does not have the model %s", embedder.Model()))
	}
	return detail, nil
}

// model shows what the similarities of the model in use mean.
func (e examiner) model(ctx context.Context) (string, error) {
	embedder, _, err := e.embedder()
	if err != nil {
		return "", err
	}
	dimension, err := embedder.Dimension(ctx)
	if err != nil {
		return "", err
	}
	cal := memory.CalibrationFor(embedder.Model())
	detail := fmt.Sprintf("%s, %d dimensions; two texts are the same fact above cosine %.2f (similarity %.2f); recall bar %.2f",
		cal.Model, dimension, cal.Cosine(memory.DuplicateAbove), memory.DuplicateAbove, memory.DefaultMinScore)
	if !cal.Measured {
		return detail + "; calibration: none measured, the model is taken at its word", nil
	}
	return detail + "; calibration: measured " + curve("texts", cal.Documents) + ", " + curve("questions", cal.Recall), nil
}

// curve writes the corners of a calibration: what the model says → what it means.
func curve(name string, points []memory.Point) string {
	corners := make([]string, len(points))
	for i, p := range points {
		corners[i] = fmt.Sprintf("%g→%g", p.X, p.Y)
	}
	return name + " " + strings.Join(corners, " ")
}

// index says whether everything that is remembered can be found.
func (e examiner) index(ctx context.Context) (string, error) {
	c, err := connect(ctx, e.cfg)
	if err != nil {
		return "", err
	}
	defer c.Close()
	s, err := c.Stats(ctx)
	if err != nil {
		return "", err
	}
	live := 0
	for _, n := range s.Live {
		live += n
	}
	detail := fmt.Sprintf("%s in %s", count(live, "memory", "memories"), count(s.Projects, "project", "projects"))
	if s.Unindexed > 0 {
		return detail, cli.Warning{Err: memory.Errorf(memory.Conflict, `wait a moment; if it stays so, "mneme rebuild" writes them`,
			"%s not in the index yet", count(s.Unindexed, "change is", "changes are"))}
	}
	if s.Model != "" && e.daemon.Model != "" && s.Model != e.daemon.Model {
		return detail, memory.Errorf(memory.Conflict, `"mneme rebuild" takes the new model up, or set MNEME_EMBED_MODEL=`+s.Model,
			"the memories were embedded with %s, the model in use is %s", s.Model, e.daemon.Model)
	}
	return detail + ", all in the index", nil
}

// recall goes the whole way.
func (e examiner) recall(ctx context.Context) (string, error) {
	c, err := connect(ctx, e.cfg)
	if err != nil {
		return "", err
	}
	defer c.Close()
	r, err := c.Recall(ctx, memory.Query{Text: "mneme doctor", Limit: 1, Source: "doctor"})
	if err != nil {
		return "", err
	}
	if r.Degraded != "" {
		return "", cli.Warning{Err: memory.Errorf(memory.Unavailable, "see the part above that fails", "%s", r.Degraded)}
	}
	return fmt.Sprintf("answered in %.1f ms", r.TookMillis["embed"]+r.TookMillis["search"]+r.TookMillis["rank"]), nil
}
