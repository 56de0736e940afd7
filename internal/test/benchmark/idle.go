package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	settle    = 10 * time.Second // after a start, before it counts as idle
	idleSpan  = 30 * time.Second
	clockTick = 10 * time.Millisecond // of the times in /proc; Linux has had no other for long
)

// usage is what a process has used of the machine.
type usage struct {
	cpu   time.Duration
	bytes int64 // resident, shared pages counted in each process
}

// runIdle watches a daemon with 10,000 memories that nobody asks anything.
func runIdle(ctx context.Context, env *Env) ([]Row, error) {
	d, err := env.full(ctx)
	if err != nil {
		return nil, err
	}
	pid := d.cmd.Process.Pid
	if _, err := usageOf(pid); err != nil {
		return []Row{{What: "not measured: there is no /proc on this machine"}}, nil
	}
	env.say("waiting %s, then watching for %s", settle, idleSpan)
	if err := rest(ctx, settle); err != nil {
		return nil, err
	}
	before, family, err := usages(pid)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := rest(ctx, idleSpan); err != nil {
		return nil, err
	}
	after, familyAfter, err := usages(pid)
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	share := func(a, b usage) float64 { return 100 * float64(b.cpu-a.cpu) / float64(took) }
	own, all := share(before, after), share(family, familyAfter)
	return []Row{
		{
			What: "memory of the daemon", Measured: megabytes(after.bytes),
			Budget: "< 300 MB", Met: verdict(after.bytes < 300<<20),
		},
		{What: "memory with PostgreSQL's processes", Measured: megabytes(familyAfter.bytes)},
		{
			What: "one core, used by the daemon", Measured: fmt.Sprintf("%.2f %%", own),
			Budget: "< 1 %", Met: verdict(own < 1),
		},
		{What: "one core, with PostgreSQL's processes", Measured: fmt.Sprintf("%.2f %%", all)},
	}, nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/(1<<20)) }

// usages returns the usage of a process alone, and with all its descendants.
func usages(pid int) (own, family usage, err error) {
	if own, err = usageOf(pid); err != nil {
		return own, family, err
	}
	children, err := childrenByParent()
	if err != nil {
		return own, family, err
	}
	for todo := []int{pid}; len(todo) > 0; todo = todo[1:] {
		todo = append(todo, children[todo[0]]...)
		if u, err := usageOf(todo[0]); err == nil { // else it ended meanwhile
			family.cpu += u.cpu
			family.bytes += u.bytes
		}
	}
	return own, family, nil
}

// statFields are those of /proc/PID/stat from the third on: the second is a
// name, which may hold spaces.
func statFields(pid int) ([]string, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, fmt.Errorf("read process: %w", err)
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 22 {
		return nil, fmt.Errorf("read process %d: %d fields", pid, len(fields))
	}
	return fields, nil
}

func usageOf(pid int) (usage, error) {
	fields, err := statFields(pid)
	if err != nil {
		return usage{}, err
	}
	var n [3]int64
	for i, place := range []int{11, 12, 21} { // user time, system time, resident pages
		if n[i], err = strconv.ParseInt(fields[place], 10, 64); err != nil {
			return usage{}, fmt.Errorf("read process %d: %w", pid, err)
		}
	}
	return usage{cpu: time.Duration(n[0]+n[1]) * clockTick, bytes: n[2] * int64(os.Getpagesize())}, nil
}

func childrenByParent() (map[int][]int, error) {
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	children := map[int][]int{}
	for _, folder := range folders {
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			continue
		}
		fields, err := statFields(pid)
		if err != nil {
			continue // it ended meanwhile
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	return children, nil
}
