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

// check refuses what no receiver could take.
func (e Entry) check() error {
	set := 0
	for _, given := range []bool{e.Store != nil, e.Credit != nil, len(e.Events) > 0} {
		if given {
			set++
		}
	}
	if e.Key == "" || set != 1 {
		return memory.Errorf(memory.Invalid, "", "an entry has a key and one request, this one has %d", set)
	}
	switch {
	case e.Store != nil:
		_, err := e.Store.Clean()
		return err
	case e.Credit != nil:
		_, err := e.Credit.Clean()
		return err
	default:
		return memory.CheckEvents(e.Events)
	}
}

// redact takes secrets out of every string that is kept.
func (e Entry) redact(r memory.Redactor) Entry {
	switch {
	case e.Store != nil:
		in, _ := memory.RedactStore(r, *e.Store)
		e.Store = &in
	case e.Credit != nil:
		in := memory.RedactCredit(r, *e.Credit)
		e.Credit = &in
	default:
		e.Events = memory.RedactEvents(r, e.Events)
	}
	return e
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
	return e, e.check()
}
