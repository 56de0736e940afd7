package phrases_test

import (
	"reflect"
	"testing"

	"github.com/mneme-memory/mneme/internal/extract/phrases"
	"github.com/mneme-memory/mneme/internal/lexis"
)

// Each way to say a thing is one that its example uses, and no language is
// silent about anything.
func TestEachPhraseHasItsExample(t *testing.T) {
	t.Parallel()
	for _, l := range phrases.All() {
		v := reflect.ValueOf(l)
		for i := range v.NumField() {
			table, ok := v.Field(i).Interface().(lexis.Table)
			if !ok {
				continue
			}
			name := l.Name + " " + v.Type().Field(i).Name
			if len(table) == 0 {
				t.Errorf("%s: nothing", name)
			}
			for _, p := range table {
				if !lexis.Within(lexis.Table{p}).Match(p.Example()) {
					t.Errorf("%s: %q does not say %s", name, p.Example(), p.Expr())
				}
			}
		}
	}
}
