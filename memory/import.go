package memory

// MaxImportBatch bounds the memories of one import batch.
const MaxImportBatch = 500

// ImportBatch is a part of a file to import. Imports keep every text as it
// is: only exact repeats are left out, and organize merges near ones later.
// An item whose SourceRef a memory of its project has takes that memory's place.
type ImportBatch struct {
	Number int          `json:"number"` // from 0; a batch that was done is not done again
	Items  []StoreInput `json:"items"`
	// Links are added when all items are there: in batches after the last that has items.
	Links []ExportedLink `json:"links,omitempty"`
	// Gone are ids of memories whose place in the source is no longer there. They are forgotten.
	Gone []string `json:"gone,omitempty"`
	User string   `json:"user,omitempty"` // who asked for Gone; each item names its own
	// Chain names the import that the batch is of, in all runs of its workflow, which sets it.
	Chain string `json:"chain,omitempty"`
}

// ImportProgress says how far an import has come.
type ImportProgress struct {
	Batches   int    `json:"batches"`             // done, without a gap from the first
	Stored    int    `json:"stored"`              // new memories
	Existing  int    `json:"existing"`            // texts that were there already
	Updated   int    `json:"updated,omitempty"`   // memories whose source has another text now
	Forgotten int    `json:"forgotten,omitempty"` // memories whose place in the source is gone
	Kept      int    `json:"kept,omitempty"`      // memories that are another version here, changed later
	Linked    int    `json:"linked,omitempty"`    // new links
	Unlinked  int    `json:"unlinked,omitempty"`  // links to or from what is not here
	Change    string `json:"change,omitempty"`    // what an undo of all of it names, in the answer to the end
}

// Imported lists the ids of a batch by outcome.
type Imported struct {
	Stored    []string `json:"stored"`
	Existing  []string `json:"existing"`
	Updated   []string `json:"updated"`
	Forgotten []string `json:"forgotten"`
	Kept      []string `json:"kept,omitempty"` // stayed another version than that of the export, which is older
}

// Changed are the ids whose point in the index must follow.
func (i Imported) Changed() []string {
	out := append([]string{}, i.Stored...)
	return append(append(out, i.Updated...), i.Forgotten...)
}
