package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report holds what one experiment has found so far.
type Report struct {
	// Experiment is the name of the subcommand, and Title its short description.
	Experiment string `json:"experiment"`
	Title      string `json:"title"`
	environment
	// Quick marks a short form of the experiment, whose figures mean nothing.
	Quick bool `json:"quick,omitempty"`
	// Notes state what the tables do not show, and what was left out.
	Notes  []string `json:"notes,omitempty"`
	Tables []*Table `json:"tables"`

	// attached has plots. They are written beside the report and are not part of JSON.
	attached []attachment
}

// attachment is a further file of a report.
type attachment struct {
	// name follows the name of the experiment, such as points.svg.
	name  string
	write func(w io.Writer) error
}

// Table holds rows of one struct type, whose tags state how renderRows shows them.
type Table struct {
	Title string `json:"title"`
	Rows  []any  `json:"rows"`
	// Text is a table that another program has formatted.
	Text  string   `json:"text,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Note adds a note unless the report has it already. An experiment of many parts may find the same data
// set absent in each of them.
func (r *Report) Note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, n) {
		r.Notes = append(r.Notes, n)
	}
}

// Table starts a table with a title.
// The table is part of the report from now on, so an interrupted experiment keeps its rows.
func (r *Report) Table(format string, args ...any) *Table {
	t := &Table{Title: fmt.Sprintf(format, args...)}
	r.Tables = append(r.Tables, t)
	return t
}

// Add adds a row.
func (t *Table) Add(row any) { t.Rows = append(t.Rows, row) }

// Note adds a note below the table.
func (t *Table) Note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// Attach adds a further file to the report, whose name follows that of the experiment.
func (r *Report) Attach(name string, write func(w io.Writer) error) {
	r.attached = append(r.attached, attachment{name, write})
}

// markdown writes the report as a section of a Markdown document. A table without rows is left out: its
// measurements were interrupted or had no data.
func (r *Report) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s: %s\n\n%s\n", r.Experiment, r.Title, r.environment)
	if r.Quick {
		b.WriteString("\nThis quick run shows that the experiment works; its figures mean nothing.\n")
	}
	for _, t := range r.Tables {
		if len(t.Rows) == 0 && t.Text == "" {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", t.Title)
		if len(t.Rows) > 0 {
			renderRows(&b, t.Rows)
		}
		// Text of another program keeps its columns in a block of code.
		if t.Text != "" {
			fmt.Fprintf(&b, "```\n%s\n```\n", strings.TrimRight(t.Text, "\n"))
		}
		writeNotes(&b, t.Notes)
	}
	writeNotes(&b, r.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeNotes writes notes as a list.
func writeNotes(b *strings.Builder, notes []string) {
	if len(notes) > 0 {
		b.WriteString("\n")
	}
	for _, n := range notes {
		fmt.Fprintf(b, "- %s\n", n)
	}
}

// writeJSON writes one report as an object, and several as an array.
// The figures are numbers here, without the rounding of the tables.
func writeJSON(w io.Writer, reports ...*Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if len(reports) == 1 {
		return e.Encode(reports[0])
	}
	return e.Encode(reports)
}
