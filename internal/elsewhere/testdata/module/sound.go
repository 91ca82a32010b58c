package elsewhere

import (
	"os"

	"elsewhere/inner"
)

var _ = inner.Size + os.Getpid()
