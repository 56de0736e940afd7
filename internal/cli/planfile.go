package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/mneme-memory/mneme/memory"
)

// planFormat names the form of a plan's file.
const planFormat = "mneme-plan/1"

// maxPlanFile is how many bytes of a plan's file are read at most. The plan for 100,000 memories that
// are all duplicates has about a tenth of that size.
const maxPlanFile = 1 << 30

// planFile is a plan with all of its texts, as it is written for review.
type planFile struct {
	Format string               `json:"format"`
	Head   memory.PlanHead      `json:"head"`
	Steps  []memory.PlannedStep `json:"steps"`
}

// digest is that of the steps in the file.
func (p planFile) digest() string {
	steps := make([]memory.PlanStep, len(p.Steps))
	for i, s := range p.Steps {
		steps[i] = s.PlanStep
	}
	return memory.DigestOf(steps)
}

// writePlan writes a plan to a file that only its owner can read. An older file of this name is
// replaced after the new file is complete.
func writePlan(path string, p planFile) error {
	tmp, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path))) // mode 0600
	if err != nil {
		return memory.Errorf(memory.Invalid, "give a file in a folder that can be written", "write the plan: %w", err)
	}
	defer tmp.Cleanup() //nolint:errcheck // the error of writing is the one to tell
	out := json.NewEncoder(tmp)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	if err := out.Encode(p); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	if err := tmp.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	return nil
}

// readPlan reads the file of a plan. It refuses a file whose steps do not match the digest
// that mneme wrote into it.
func readPlan(path string) (planFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return planFile{}, memory.Errorf(memory.Invalid, `make one with "mneme organize --plan FILE"`,
			"read the plan: %w", err)
	}
	defer f.Close()
	return parsePlan(f)
}

func parsePlan(r io.Reader) (planFile, error) {
	const hint = `make a new one with "mneme organize --plan FILE"`
	var p planFile
	in := json.NewDecoder(io.LimitReader(r, maxPlanFile))
	err := in.Decode(&p)
	if err == nil {
		if _, more := in.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows it")
		}
	}
	if err != nil {
		return p, memory.Errorf(memory.Invalid, hint, "this is no plan: %w", err)
	}
	if p.Format != planFormat || p.Head.ID == "" {
		return p, memory.Errorf(memory.Invalid, hint, "this is no plan of the form %s", planFormat)
	}
	if len(p.Steps) != p.Head.Steps || p.digest() != p.Head.Digest {
		return p, memory.Errorf(memory.Invalid, hint, "the steps of this plan were changed after it was written")
	}
	return p, nil
}
