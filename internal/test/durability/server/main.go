// Command server is one of the servers of the durability tests in a process of its own, so
// that a test can stop and kill it. It is built without the race detector, which would make
// a Temporal server many times slower: what is under test there are mneme's own programs.
//
//	server qdrant|ollama|temporal [-addr ADDRESS] [-dir FOLDER] ...
//
// It prints "serving ADDRESS" when it is ready, and ends when its standard input does, so
// that it never outlives its test.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/mneme-memory/mneme/embedded/ollama"
	"github.com/mneme-memory/mneme/embedded/qdrant"
	"github.com/mneme-memory/mneme/embedded/temporal"
	"github.com/mneme-memory/mneme/workflows"
)

func main() {
	addr, err := serve(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("serving", addr)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// serve starts a server and returns where it listens.
func serve(ctx context.Context, args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("name a server")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	addr := flags.String("addr", "", "where to listen; a free port if empty")
	dir := flags.String("dir", "", "where the data is")
	key := flags.String("key", "", "Qdrant's key")
	readOnlyKey := flags.String("read-only-key", "", "Qdrant's key for those who read")
	attributes := flags.Bool("attributes", false, "have Temporal know mneme's search attributes")
	if err := flags.Parse(args[1:]); err != nil {
		return "", err
	}
	switch args[0] {
	case "qdrant":
		s, err := qdrant.Start(ctx, qdrant.Options{Dir: *dir, Addr: *addr, APIKey: *key, ReadOnlyAPIKey: *readOnlyKey})
		if err != nil {
			return "", fmt.Errorf("start Qdrant: %w", err)
		}
		return s.Addr(), nil
	case "ollama":
		s, err := ollama.Start(ctx, ollama.Options{Addr: *addr})
		if err != nil {
			return "", fmt.Errorf("start Ollama: %w", err)
		}
		return s.Addr(), nil
	case "temporal":
		o := temporal.Options{Dir: *dir, Port: portOf(*addr), Headless: true}
		if *attributes {
			o.SearchAttributes = searchAttributes()
		}
		s, err := temporal.Start(ctx, o)
		if err != nil {
			return "", fmt.Errorf("start Temporal: %w", err)
		}
		return s.Addr(), nil
	}
	return "", fmt.Errorf("%q is no server", args[0])
}

// portOf is 0, any port, for no address.
func portOf(addr string) int {
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(text)
	return port
}

func searchAttributes() map[string]enumspb.IndexedValueType {
	out := map[string]enumspb.IndexedValueType{}
	for _, name := range workflows.SearchAttributes() {
		out[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	return out
}
