// Package realtest plays mneme against programs that are not ours: a real
// Ollama with a real model, a real Temporal server on PostgreSQL, and a
// PostgreSQL that asks for a password, each a process of its own. It has no
// code of its own; "make test-real" builds the programs into .bin and runs its
// tests, which are skipped otherwise.
//
// What the programs need besides: the PostgreSQL binaries of this machine, and
// the folder models/all-minilm-l6-v2 with the model as a GGUF file, looked for
// in MNEME_SHARED, else beside the check-out. There is no real Qdrant: none can
// be built from what package registries have, so the embedded server speaks for
// it from a process of its own.
//
// TestStack plays deploy/compose.yaml in the same way, without containers.
package realtest
