// Package claims changes model files one key and one array at a time, and asks whether verification
// notices.
package claims

import (
	"testing"

	"bigmkl/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
