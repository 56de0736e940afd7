// Package durability holds the tests of the promise that nothing is lost:
// what was accepted is stored exactly once, with one audit row, and whoever
// asked was told the truth, whatever was killed or stopped meanwhile. It has
// no code of its own.
//
// The parts are real. The worker is the mneme-worker binary in a process of
// its own; between it and the four services stand proxies that see every
// message. A test kills the worker at the n-th of them, for every n, and has
// another worker go on; or it stops a service, by its end or by SIGSTOP.
//
// The index is the embedded server, or with MNEME_TEST_QDRANT_BINARY the program that it
// names; with MNEME_TEST_REAL=1 it is the qdrant on the PATH, and without one nothing is
// played.
//
// MNEME_TEST_LONG=1 makes the outages last a minute each instead of some
// seconds.
package durability
