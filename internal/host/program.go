package host

import (
	"fmt"
	"io"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Program returns a hash of the running program. It differs for another compiler, another version
// of the code and another target.
var Program = sync.OnceValues(func() (string, error) {
	f, err := openProgram()
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
