package gonen

import (
	"testing"

	"bigmkl/bench/internal/harness/harnesstest"
)

func TestMain(m *testing.M) { harnesstest.Main(m) }
