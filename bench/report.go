package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// report is what one experiment has found so far.
type experimentReport struct {
	Experiment string `json:"experiment"`
	Title      string `json:"title"`
	environment
	Quick  bool           `json:"quick,omitempty"` // a short form of the experiment, whose figures stand for nothing
	Notes  []string       `json:"notes,omitempty"` // what the tables do not say, and what was left out
	Tables []*reportTable `json:"tables"`

	attached []attachment
}

// attachment is a further file of a report.
type attachment struct {
	name  string // after the experiment's, such as points.svg
	write func(w io.Writer) error
}

// table is rows of one struct type, whose tags say how they are written; see render.
type reportTable struct {
	Title string   `json:"title"`
	Rows  []any    `json:"rows"`
	Text  string   `json:"text,omitempty"` // what another program has set, shown as it is
	Notes []string `json:"notes,omitempty"`
}

// note says something once.
func (r *experimentReport) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, n) {
		r.Notes = append(r.Notes, n)
	}
}

// table starts a table.
func (r *experimentReport) table(format string, args ...any) *reportTable {
	t := &reportTable{Title: fmt.Sprintf(format, args...)}
	r.Tables = append(r.Tables, t)
	return t
}

func (t *reportTable) add(row any) { t.Rows = append(t.Rows, row) }

func (t *reportTable) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// markdown writes the report as a section.
func (r *experimentReport) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s: %s\n\n%s\n", r.Experiment, r.Title, r.environment)
	if r.Quick {
		b.WriteString("\nA quick run: it shows that the experiment works, its figures stand for nothing.\n")
	}
	for _, t := range r.Tables {
		if len(t.Rows) == 0 && t.Text == "" {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", t.Title)
		if len(t.Rows) > 0 {
			renderRows(&b, t.Rows)
		}
		if t.Text != "" {
			fmt.Fprintf(&b, "```\n%s\n```\n", strings.TrimRight(t.Text, "\n"))
		}
		writeNotes(&b, t.Notes)
	}
	writeNotes(&b, r.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeNotes(b *strings.Builder, notes []string) {
	if len(notes) > 0 {
		b.WriteString("\n")
	}
	for _, n := range notes {
		fmt.Fprintf(b, "- %s\n", n)
	}
}

// writeJSON writes one report as an object, several as an array.
func writeJSON(w io.Writer, reports ...*experimentReport) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if len(reports) == 1 {
		return e.Encode(reports[0])
	}
	return e.Encode(reports)
}
