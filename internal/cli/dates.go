package cli

import (
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// dateFlag reads the value of a flag; empty means none.
func (a *app) dateFlag(name, value string) (*time.Time, error) {
	if value == "" {
		return nil, nil
	}
	t, err := memory.ParseWhen(value, a.sys.Now(), a.sys.location())
	if err != nil {
		return nil, &memory.Error{Code: memory.Invalid, Op: "--" + name, Hint: memory.HintOf(err), Err: err}
	}
	return &t, nil
}
