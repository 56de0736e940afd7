package portowner

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"

	"github.com/mneme-memory/mneme/internal/testkit/otheruser"
)

// listen listens at an address, and returns where.
func listen(t *testing.T, address string) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("this machine cannot listen at %s: %v", address, err)
	}
	t.Cleanup(func() { l.Close() })
	return netip.MustParseAddrPort(l.Addr().String())
}

// at is the same port at 127.0.0.1.
func at(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), a.Port())
}

func TestOwners(t *testing.T) {
	t.Parallel()
	me := os.Geteuid()
	for _, address := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::]:0", "[::1]:0"} {
		where := listen(t, address)
		asked := at(where)
		if address == "[::1]:0" {
			asked = where
		}
		if got, err := Of(asked); err != nil || !slices.Equal(got, []int{me}) {
			t.Errorf("%s: %v, %v", address, got, err)
		}
	}
	taken := listen(t, "127.0.0.2:0")
	if got, err := Of(at(taken)); !errors.Is(err, ErrUnknown) {
		t.Errorf("another address of the same port: %v, %v", got, err)
	}
	if _, err := Of(netip.MustParseAddrPort("192.0.2.1:80")); !errors.Is(err, ErrUnknown) {
		t.Errorf("another machine: %v", err)
	}
}

// TestForeignOwner sees whose socket it is.
func TestForeignOwner(t *testing.T) {
	t.Parallel()
	foreign := netip.MustParseAddrPort(otheruser.Listen(t, "127.0.0.1:0").Addr().String())
	if got, err := Of(foreign); err != nil || !slices.Equal(got, []int{otheruser.ID}) || Ours(got[0]) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestOurs(t *testing.T) {
	t.Parallel()
	for uid, want := range map[int]bool{os.Geteuid(): true, 0: true, 999: true, 1000: os.Geteuid() == 1000, 65534: false, -1: false} {
		if Ours(uid) != want {
			t.Errorf("%d: %v", uid, !want)
		}
	}
}

// FuzzListener reads any row without a panic, and only listening sockets.
func FuzzListener(f *testing.F) {
	f.Add("   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 12345 1 0000000000000000 100 0 0 10 0")
	f.Add("  1: 00000000000000000000000001000000:2CAA 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 1")
	f.Add("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode")
	f.Fuzz(func(t *testing.T, row string) {
		if at, _, ok := listener(row); ok && !at.IsValid() {
			t.Errorf("%q listens nowhere", row)
		}
	})
}
