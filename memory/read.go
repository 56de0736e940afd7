package memory

// Page selects live memories in the order of their ids, for exports, rebuilds
// and organize. Empty fields do not filter.
type Page struct {
	Collection string `json:"collection,omitempty"`
	Project    string `json:"project,omitempty"`
	After      string `json:"after,omitempty"` // id of the last one seen
	Limit      int    `json:"limit,omitempty"` // 1 to 1000
}

// Related is a memory that is linked to another.
type Related struct {
	Memory
	Link  Link `json:"link"`  // the last link on the way to it
	Depth int  `json:"depth"` // links away, from 1
}

// History is everything the ledger knows of one memory, oldest first.
type History struct {
	Memory   Memory    `json:"memory"`
	Versions []Version `json:"versions"`
	Audit    []Audit   `json:"audit"`
}

// Details is a memory with its links.
type Details struct {
	Memory
	Links []Link `json:"links"`
}

// Stats counts what the ledger holds.
type Stats struct {
	Live      map[string]int `json:"live"`      // by collection
	States    map[State]int  `json:"states"`    // all memories
	Projects  int            `json:"projects"`  // with a live memory
	Unindexed int            `json:"unindexed"` // changed, and not yet in the index
	Model     string         `json:"model"`     // embedding model, "" before the first store
	Dimension int            `json:"dimension"`
}
