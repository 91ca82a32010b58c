package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type inner struct {
	Count int   `json:"count" table:"count"`
	Size  int64 `json:"size" table:"size|MiB"`
}

type sampleRow struct {
	Name string `json:"name" table:"name"`
	inner
	Share  float64 `json:"share" table:"share|%.1f %%|blank"`
	Empty  string  `json:"empty" table:"empty"`
	Hidden float64 `json:"hidden"`
}

func sampleReport() *experimentReport {
	r := &experimentReport{Experiment: "sample", Title: "what it is", environment: environment{Machine: "a machine", Commit: "c0ffee"}}
	t := r.table("Table of %d rows", 2)
	t.add(sampleRow{Name: "a|b", inner: inner{1, 3 << 20}, Hidden: 7})
	t.add(sampleRow{Name: "c\nd", inner: inner{20, 1 << 19}, Share: 12.34})
	t.note("a note on it")
	r.table("without rows")
	r.note("a note on all")
	return r
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := sampleReport().markdown(&b); err != nil {
		t.Fatal(err)
	}
	const want = `
### Table of 2 rows

| name | count | size | share |
|---|---:|---:|---:|
| a\|b | 1 | 3 |  |
| c d | 20 | 0 | 12.3 % |

- a note on it

- a note on all
`
	got := b.String()
	if !strings.HasPrefix(got, "## sample: what it is\n\na machine, ") || !strings.Contains(got, "commit c0ffee") || !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant at its end\n%s", got, want)
	}
}

func TestJSONHasWhatTablesLeaveOut(t *testing.T) {
	var b bytes.Buffer
	if err := writeJSON(&b, sampleReport()); err != nil {
		t.Fatal(err)
	}
	var r struct {
		Machine string
		Tables  []struct{ Rows []map[string]any }
	}
	if err := json.Unmarshal(b.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Machine != "a machine" || len(r.Tables) != 2 || r.Tables[0].Rows[0]["hidden"] != 7.0 || r.Tables[0].Rows[1]["count"] != 20.0 {
		t.Errorf("%+v", r)
	}
}

func TestFolderOfReports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	invoke(t, "figure31", "--quick", "--data", "", "--sizes", "120", "--kernels", "3", "--norms", "2", "--out", dir)
	for _, name := range []string{"figure31.md", "figure31.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(text, []byte("uniform sum")) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
