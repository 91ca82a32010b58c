//go:build unix && !portable

package files

import (
	"io/fs"
	"syscall"
)

// NamesLast is true where a file keeps its name as long as anybody has it open.
const NamesLast = false

// CreateScratch creates a file of mode 0600 in a folder, or in the temporary folder of the system
// if dir is empty, and removes its name. So the file disappears when it is closed and however the
// process dies. The pattern names it as in os.CreateTemp.
func CreateScratch(dir, pattern string) (*File, error) {
	f, err := CreateTemp(dir, pattern)
	if err != nil {
		return nil, OwnFault("cannot create a scratch file", dir, err)
	}
	if err := Remove(f.Name()); err != nil {
		f.Close()
		return nil, OwnFault("cannot unlink the scratch file", f.Name(), err)
	}
	return f, nil
}

// Allocated returns the bytes of the blocks of a file, which are fewer than its length if it has
// holes.
func Allocated(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Blocks * 512
	}
	return 0
}
