package keyword_test

import (
	"fmt"

	"github.com/mneme-memory/mneme/internal/keyword"
)

// Words are reduced to stems, words without meaning go, and identifiers are
// found whole and in parts.
func ExampleTerms() {
	fmt.Println(keyword.Terms("The deployments were retrying"))
	fmt.Println(keyword.Terms("call parseLine in import_file.go"))
	// Output:
	// [deploy retri]
	// [call pars line parseline import file go import_file.go]
}

// A question and a text meet in the indices that they share.
func ExampleQuery() {
	text, weights := keyword.Vector("The gateway retries, and retries again.")
	asked, _ := keyword.Query("does the gateway retry?")
	for _, q := range asked {
		for i, term := range text {
			if term == q {
				fmt.Printf("%.2f\n", weights[i])
			}
		}
	}
	// Unordered output:
	// 1.47
	// 1.77
}
