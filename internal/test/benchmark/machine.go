package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// describe says what machine this is and how busy it was.
func describe(now time.Time) string {
	return fmt.Sprintf("%s, %s, %d cores, %s of memory, %s, %s, load average %s at the start",
		now.UTC().Format("2006-01-02 15:04 UTC"), processor(), runtime.NumCPU(), memorySize(), kernel(), runtime.Version(), load())
}

// The files below are Linux's; elsewhere the words stand for them.

// load is the load average of the last minute.
func load() string {
	first, _, _ := strings.Cut(text("/proc/loadavg"), " ")
	return or(first, "unknown")
}

func processor() string {
	for line := range strings.Lines(text("/proc/cpuinfo")) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func memorySize() string {
	for line := range strings.Lines(text("/proc/meminfo")) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == "MemTotal:" {
			if kb, err := strconv.ParseFloat(fields[1], 64); err == nil {
				return fmt.Sprintf("%.0f GB", kb/(1<<20))
			}
		}
	}
	return "an unknown amount"
}

func kernel() string { return runtime.GOOS + or(" "+text("/proc/sys/kernel/osrelease"), "") }

// text is a file without the space around it, empty if it cannot be read.
func text(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(data))
}

func or(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}
