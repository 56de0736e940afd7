//go:build !linux

package claudetest

import "errors"

// Isolate does nothing: only Linux has networks to leave.
func Isolate() (done bool, why error) {
	return false, errors.New("this system cannot take the network from a process")
}
