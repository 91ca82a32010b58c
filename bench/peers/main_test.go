package peers

import (
	"testing"

	"bigmkl/bench/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m) }
