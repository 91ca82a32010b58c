package host

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Program is a hash of the program that runs: another compiler, another version of the code or another target make another.
var Program = sync.OnceValues(func() (string, error) {
	f, err := os.Open("/proc/self/exe") // the one that runs, also if its file has been replaced
	if err != nil {
		return "", fmt.Errorf("cannot read the program: %w", err)
	}
	defer f.Close()
	var h xxhash.Digest
	h.Reset()
	if _, err := io.Copy(&h, f); err != nil {
		return "", fmt.Errorf("cannot read the program: %w", err)
	}
	return fmt.Sprintf("%016x", h.Sum64()), nil
})
