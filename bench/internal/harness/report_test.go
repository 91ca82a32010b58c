package harness

import (
	"bytes"
	"encoding/json"
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

func sampleReport() *Report {
	r := &Report{Experiment: "sample", Title: "what it is", environment: environment{Machine: "a machine", Commit: "c0ffee"}}
	t := r.Table("Table of %d rows", 2)
	t.Add(sampleRow{Name: "a|b", inner: inner{1, 3 << 20}, Hidden: 7})
	t.Add(sampleRow{Name: "c\nd", inner: inner{20, 1 << 19}, Share: 12.34})
	t.Note("a note on it")
	r.Table("without rows")
	r.Note("a note on all")
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
