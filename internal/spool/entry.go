package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/mneme-memory/mneme/memory"
)

// Entry is one request. Exactly one of Store, Credit and Events is set.
type Entry struct {
	Key    string              `json:"key"` // requests with the same key are one request
	At     time.Time           `json:"at"`  // when it was added
	Store  *memory.StoreInput  `json:"store,omitempty"`
	Credit *memory.CreditInput `json:"credit,omitempty"`
	Events []memory.Event      `json:"events,omitempty"`
	Tries  int                 `json:"tries,omitempty"` // deliveries that ended in an unforeseen error
}

// Kind says in one word what the entry asks for.
func (e Entry) Kind() string {
	switch {
	case e.Store != nil:
		return "store"
	case e.Credit != nil:
		return "credit"
	default:
		return "events"
	}
}

// admit returns the entry as it may be kept, or refuses what no receiver could take.
func (e Entry) admit(r memory.Redactor) (Entry, error) {
	set := 0
	for _, given := range []bool{e.Store != nil, e.Credit != nil, len(e.Events) > 0} {
		if given {
			set++
		}
	}
	if e.Key == "" || set != 1 {
		return e, memory.Errorf(memory.Invalid, "", "an entry has a key and one request, this one has %d", set)
	}
	var err error
	switch {
	case e.Store != nil:
		e.Store, err = admit(r, *e.Store)
	case e.Credit != nil:
		e.Credit, err = admit(r, *e.Credit)
	default:
		e.Events, err = memory.AdmitEvents(r, e.Events)
	}
	return e, err
}

func admit[T memory.Admissible[T]](r memory.Redactor, in T) (*T, error) {
	in, err := memory.Admit(r, in)
	return &in, err
}

// fileName is the same for the same key: adding twice is adding once.
func fileName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16]) + suffix
}

// parse reads an entry's file.
func parse(data []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return e, memory.Errorf(memory.Invalid, "", "it is no entry: %w", err)
	}
	return e.admit(kept{})
}

// kept is the redactor of entries that were redacted when they were added.
type kept struct{}

func (kept) Redact(text string) (string, []string) { return text, nil }
