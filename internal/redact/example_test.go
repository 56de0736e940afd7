package redact_test

import (
	"fmt"
	"strings"

	"github.com/mneme-memory/mneme/internal/redact"
)

func ExampleRedactor_Redact() {
	r, err := redact.New(redact.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	res := r.Redact("psql postgres://app:" + "hunter2hunter2@db.internal/app failed; ask ada@mail-host.com about 192.168.0.7")
	fmt.Println(res.Text)
	for _, f := range res.Findings {
		fmt.Println(f.Kind, f.Count)
	}
	// Output:
	// psql postgres://app:[redacted:url-password]@db.internal/app failed; ask [redacted:email] about 192.168.0.7
	// email 1
	// url-password 1
}

// Rules of one's own come from the privacy section of CLAUDE.md.
func ExampleParseClaudeMD() {
	rules, problems, err := redact.ParseClaudeMD(strings.NewReader("## Privacy\n\n- customer: `KD-[0-9]{6}`\n"))
	if err != nil || len(problems) > 0 {
		fmt.Println(problems, err)
		return
	}
	r, err := redact.New(redact.Options{Rules: rules})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Redact("the ticket of KD-123456 is closed").Text)
	// Output:
	// the ticket of [redacted:customer] is closed
}
