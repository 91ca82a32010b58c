package bits

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const bytesTable = "testdata/bytes.txt"

var update = flag.Bool("update", false, "write the lines of this level in "+bytesTable+" again")

const bytesHeader = `# SHA-256 digests of models, of their predictions and of their plans. bytes_test.go
# reads this file and says how to write it. They hold for amd64 with FMA and GOAMD64=v1.
# problem, level of BIGMKL_SIMD, model file, predictions, plan
`

// digests are the columns of a line of the table, as hexadecimal SHA-256.
type digests struct{ model, predictions, plan string }

// cell names a line of the table.
type cell struct{ problem, level string }

// compareBytes compares the digests of a problem with the table, column by column. It leaves out the plan if
// there was none.
func compareBytes(t *testing.T, at cell, got digests, table map[cell]digests) {
	t.Helper()
	want, ok := table[at]
	if !ok {
		t.Errorf("%s has no line for %s at level %s: bytes_test.go says how to write one",
			bytesTable, at.problem, at.level)
		return
	}
	for _, c := range []struct{ column, got, want string }{
		{"model", got.model, want.model},
		{"predictions", got.predictions, want.predictions},
		{"plan", got.plan, want.plan},
	} {
		if c.got != c.want && c.got != "" {
			t.Errorf("%s, level %s: other bytes in column %s\n\twant %s\n\tgot  %s",
				at.problem, at.level, c.column, c.want, c.got)
		}
	}
}

// checkNames finds problems that share a name, and lines of the table without a problem.
func checkNames(t *testing.T, list []problem, table map[cell]digests) {
	t.Helper()
	known := map[string]bool{}
	for i := range list {
		for _, name := range list[i].names() {
			if known[name] {
				t.Errorf("two problems are called %s", name)
			}
			known[name] = true
		}
	}
	for at := range table {
		if !known[at.problem] && !*update {
			t.Errorf("%s has a line for %s, which is no problem any more", bytesTable, at.problem)
		}
	}
}

// readBytes reads the table; one that is not there is empty.
func readBytes(t *testing.T) map[cell]digests {
	t.Helper()
	table := map[cell]digests{}
	f, err := os.Open(bytesTable)
	if errors.Is(err, fs.ErrNotExist) && *update {
		return table
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	for number := 1; scan.Scan(); number++ {
		if strings.HasPrefix(scan.Text(), "#") {
			continue
		}
		fields := strings.Fields(scan.Text())
		if len(fields) < 5 {
			t.Fatalf("%s:%d: %d fields", bytesTable, number, len(fields))
		}
		k := len(fields) - 4 // the name is of several words
		at := cell{strings.Join(fields[:k], " "), fields[k]}
		table[at] = digests{fields[k+1], fields[k+2], fields[k+3]}
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return table
}

// writeBytes writes the table, problem by problem and level by level. It drops the lines without
// a problem.
func writeBytes(t *testing.T, list []problem, table map[cell]digests) {
	t.Helper()
	var b strings.Builder
	b.WriteString(bytesHeader)
	for i := range list {
		for _, name := range list[i].names() {
			for _, level := range []string{"avx512", "avx2", "go"} {
				d, ok := table[cell{name, level}]
				if !ok {
					continue // the problem is new, and the level has not been recorded yet
				}
				fmt.Fprintf(&b, "%-30s %-6s %s %s %s\n",
					name, level, d.model, d.predictions, d.plan)
			}
		}
	}
	path := filepath.Join(packageFolder, bytesTable)
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// packageFolder is where tests start; TestBytes leaves it.
var packageFolder = func() string {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return folder
}()
