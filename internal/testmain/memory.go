package testmain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bigmkl/internal/files"
	"bigmkl/internal/testlevel"
)

// A run of the command leaves the last GiB of a disk alone, and containers have a shared memory of 64 MiB by default.
const (
	shared = "/dev/shm"
	least  = 4 << 30
	prefix = "bigmkl-tests-"
)

// memoryFolder makes a folder in a file system in memory. It returns "" where there is none of some size, and in the
// long run, whose files are on the disk that users have.
func memoryFolder(base string) string {
	if testlevel.Reached(testlevel.ManyTimes) {
		return ""
	}
	if free, _, err := files.Space(base); err != nil || free < least {
		return ""
	}
	sweep(base)
	folder, err := os.MkdirTemp(base, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return ""
	}
	return folder
}

// sweep removes the folders of test processes that were killed, or they would take memory until the computer starts
// again. A folder of the last hour stays: its process may be one that is not seen from here, in another container.
func sweep(base string) {
	list, _ := filepath.Glob(filepath.Join(base, prefix+"*-*"))
	for _, folder := range list {
		text, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), prefix), "-")
		pid, err := strconv.Atoi(text)
		info, statErr := os.Lstat(folder)
		if err != nil || statErr != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Hour {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			os.RemoveAll(folder)
		}
	}
}
