// Package portowner finds out whose program listens on a TCP port of this machine. Whoever
// comes first takes a port, also a well-known one: what answers there may be anybody's.
package portowner

import (
	"errors"
	"net/netip"
	"os"
)

// ErrUnknown says that the system does not tell who listens at an address: nobody does, it is
// another machine's, or it is passed on to a container.
var ErrUnknown = errors.New("the system does not tell who listens there")

// Of returns the ids of the users whose programs listen where a connection to an address
// may end, without repetitions. There may be several: one at the address, one at all
// addresses of the machine. The error is [ErrUnknown] when there is none.
func Of(address netip.AddrPort) ([]int, error) {
	if !address.Addr().Unmap().IsLoopback() {
		return nil, ErrUnknown
	}
	owners, err := listeners(address)
	if err == nil && len(owners) == 0 {
		return nil, ErrUnknown
	}
	return owners, err
}

// Ours reports whether a user is the one who asks, root or a service of the system: who is
// one of them can do worse than to listen on a port.
func Ours(uid int) bool { return uid == os.Geteuid() || uid >= 0 && uid < firstPerson }
