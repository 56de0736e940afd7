package temporal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// loopback is the only address anything here binds to.
const loopback = "127.0.0.1"

// Free ports are drawn from below the range the kernel gives to outgoing connections
// (32768 and up on Linux, 49152 and up elsewhere): a connection somebody opens between our
// choice and the server's listen cannot take them.
const (
	firstFreePort = 20000
	lastFreePort  = 32000
)

// ports are the gRPC ports of the four services of one server.
type ports struct {
	frontend, history, matching, worker int
}

func (p ports) frontendAddr() string { return hostPort(p.frontend) }

// frontendTaken reports whether somebody listens where clients should connect.
func (p ports) frontendTaken() bool { return !portFree(p.frontend) }

func hostPort(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

// choosePorts finds a port for each service. A frontend of zero means any.
func choosePorts(frontend int) (ports, error) {
	if frontend != 0 && !portFree(frontend) {
		return ports{}, fmt.Errorf("listen on %s: %w", hostPort(frontend), ErrPortTaken)
	}
	p := ports{frontend: frontend}
	used := map[int]bool{frontend: true}
	for _, port := range []*int{&p.frontend, &p.history, &p.matching, &p.worker} {
		if *port != 0 {
			continue
		}
		free, err := freePort(used)
		if err != nil {
			return ports{}, err
		}
		*port, used[free] = free, true
	}
	return p, nil
}

// freePort draws at random, so that servers starting side by side rarely meet.
func freePort(used map[int]bool) (int, error) {
	const draws = 200
	for range draws {
		port := firstFreePort + rand.IntN(lastFreePort-firstFreePort)
		if !used[port] && portFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port between %d and %d: none in %d tries", firstFreePort, lastFreePort, draws)
}

func portFree(port int) bool {
	l, err := net.Listen("tcp", hostPort(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func isAddrInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
