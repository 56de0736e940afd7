// Package endtoend holds tests only. They build the real binaries, start a
// real embedded mneme with "mneme up --detach" in a folder of its own, and
// come in through every door: the command line, mneme-mcp over stdio with a
// real MCP client, and mneme-mcp over HTTP. What other packages test with
// fakes is tested here once more as a user meets it.
//
//	go test ./internal/test/endtoend            all of it, about a minute
//	go test ./internal/test/endtoend -short     nothing: there is no short way
//	go test ./internal/test/endtoend -update    write the golden files anew
package endtoend
