package memory

// MaxImportBatch bounds the memories of one import batch.
const MaxImportBatch = 500

// ImportBatch is a part of a file to import. Imports keep every text as it
// is: only exact repeats are left out, and organize merges near ones later.
type ImportBatch struct {
	Number int          `json:"number"` // from 0; a batch that was done is not done again
	Items  []StoreInput `json:"items"`
	// Chain names the import that the batch is of, in all runs of its workflow, which sets it.
	Chain string `json:"chain,omitempty"`
}

// ImportProgress says how far an import has come.
type ImportProgress struct {
	Batches  int `json:"batches"`  // done, without a gap from the first
	Stored   int `json:"stored"`   // new memories
	Existing int `json:"existing"` // texts that were there already
}
