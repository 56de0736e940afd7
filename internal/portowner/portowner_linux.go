package portowner

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// firstPerson is the lowest id of a person's account; those below are root and services.
const firstPerson = 1000

// listeners reads the kernel's tables of sockets.
func listeners(address netip.AddrPort) ([]int, error) {
	var out []int
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if errors.Is(err, fs.ErrNotExist) && table == "/proc/net/tcp6" {
			continue // a machine without IPv6
		}
		if err != nil {
			return nil, fmt.Errorf("look who listens at %s: %w", address, err)
		}
		for _, row := range strings.Split(string(text), "\n") {
			if at, uid, ok := listener(row); ok && receives(at, address) && !slices.Contains(out, uid) {
				out = append(out, uid)
			}
		}
	}
	return out, nil
}

// listener reads a row of the table: where a socket listens, and whose it is. Other sockets
// and rows that are none are not ok.
func listener(row string) (at netip.AddrPort, uid int, ok bool) {
	const address, state, owner = 1, 3, 7
	const listens = "0A"
	f := strings.Fields(row)
	if len(f) <= owner || f[state] != listens {
		return at, 0, false
	}
	host, port, _ := strings.Cut(f[address], ":")
	ip, ok := parseIP(host)
	number, err := strconv.ParseUint(port, 16, 16)
	uid, uidErr := strconv.Atoi(f[owner])
	if !ok || err != nil || uidErr != nil {
		return at, 0, false
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(number)), uid, true
}

// parseIP reads an address as the kernel writes it: words of four bytes, each in the
// machine's order.
func parseIP(text string) (netip.Addr, bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw)%4 != 0 {
		return netip.Addr{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	return netip.AddrFromSlice(raw)
}

// receives reports whether a socket that listens at an address may get the connections to
// another: it is the same, or stands for all. One for all of IPv6 may stand for IPv4 too.
func receives(at, to netip.AddrPort) bool {
	if at.Port() != to.Port() {
		return false
	}
	wide := at.Addr().IsUnspecified() && (at.Addr().Is6() || to.Addr().Unmap().Is4())
	return wide || at.Addr() == to.Addr().Unmap()
}
