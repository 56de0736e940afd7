package program

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Left reports processes that are still there when all should have ended: those
// that name a folder, which must be a test's own, in their command line or their
// environment. One that is just ending may take its time on a busy machine.
func Left(folder string) error {
	limit := time.Now().Add(patience)
	for {
		var left []error
		for pid, command := range Of(folder) {
			left = append(left, fmt.Errorf("process %d was left behind: %s", pid, command))
		}
		if len(left) == 0 || time.Now().After(limit) {
			return errors.Join(left...)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

const patience = time.Minute

// Of returns the command lines of all processes but this one that name a folder.
// On a system without /proc there are none.
func Of(folder string) map[int]string {
	found := map[int]string{}
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		// What ended meanwhile, or is another user's, cannot be read.
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if bytes.Contains(command, []byte(folder)) || bytes.Contains(environment, []byte(folder)) {
			found[pid] = string(bytes.ReplaceAll(command, []byte{0}, []byte{' '}))
		}
	}
	return found
}
