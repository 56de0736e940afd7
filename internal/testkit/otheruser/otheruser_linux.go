// Package otheruser lets a test that runs as root listen as another user of the machine.
package otheruser

import (
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// ID is a user that owns nothing on any machine.
const ID = 61234

// Listen listens at an address on a socket that belongs to the user [ID], until the test
// ends. It skips the test where only one's own user can be had.
func Listen(t testing.TB, address string) net.Listener {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user: run this test as root")
	}
	type result struct {
		net.Listener
		err error
	}
	done := make(chan result)
	go func() {
		// A socket belongs to whom its thread is when it is made. The thread is not given back:
		// it ends with this goroutine.
		runtime.LockOSThread()
		const same = ^uintptr(0)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, same, ID, same); errno != 0 {
			done <- result{nil, errno}
			return
		}
		l, err := net.Listen("tcp", address)
		done <- result{l, err}
	}()
	r := <-done
	if r.err != nil {
		t.Fatal(r.err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
