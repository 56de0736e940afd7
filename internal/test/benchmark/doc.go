// Command benchmark measures mneme as it is used, with the real binary on a
// home of its own, and says for each of the budgets of docs/design.md whether
// this machine meets it.
//
// Machines differ, and one machine differs from hour to hour. So nearly every
// figure stands beside a yardstick of the same run: an empty workflow on the
// same server, one pass over as much memory, a plain write to the same disk.
// The two are measured in turns, so that a disturbance hits both. A slow
// machine fails nothing: a budget that is missed is a line in a table.
//
//	make bench                        # everything
//	make bench ARGS="recall store"    # two suites
//
// A suite is one file with one function of the type of [Suite.Run], named in
// the list of suites in main.go.
package main
