//go:build windows || portable

package files

import "io/fs"

// NamesLast is true where a file keeps its name as long as anybody has it open or mapped.
const NamesLast = true

// CreateScratch creates a file of mode 0600 in a folder, or in the temporary folder of the system
// if dir is empty. Close removes the file. An open file cannot lose its name here, so it stays
// behind if the process is killed: it should lie in a folder of package scratch, which is removed
// with all that is in it. The pattern names it as in os.CreateTemp.
func CreateScratch(dir, pattern string) (*File, error) {
	f, err := CreateTemp(dir, pattern)
	if err != nil {
		return nil, OwnFault("cannot create a scratch file", dir, err)
	}
	f.scratch = true
	return f, nil
}

// Allocated returns the length of a file: Windows gives a file its whole length on the disk.
func Allocated(info fs.FileInfo) int64 { return info.Size() }
