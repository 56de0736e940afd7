//go:build !linux

package durability

import "testing"

// disk is where the services of a site keep their data.
type disk struct {
	dir  string
	fill func(pids []int) (empty func()) // nil where it cannot be filled
}

func newDisk(t *testing.T) disk {
	t.Helper()
	t.Log("the disk is not filled: that needs Linux")
	return disk{dir: t.TempDir()}
}
