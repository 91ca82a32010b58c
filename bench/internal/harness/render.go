package harness

import (
	"fmt"
	"reflect"
	"strings"
)

// tableColumn is a field of a row that the table shows.
type tableColumn struct {
	// index is the path of the field through embedded structs.
	index []int
	title string
	// format is a verb of package fmt, or MiB for bytes.
	format string
	// blank shows zero as an empty cell.
	blank bool
}

// tableColumns reads the tags of a struct and of its embedded structs, which have the form
// `table:"title|format|blank"`. A field without a tag is shown in JSON only. Rows of an experiment thus
// define JSON and table in one struct, and cannot differ between both.
// The columns have the order of the fields.
func tableColumns(t reflect.Type) []tableColumn {
	var all []tableColumn
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("table")
		if !ok {
			continue
		}
		// Format and blank are optional, so the list is filled up.
		parts := append(strings.Split(tag, "|"), "", "")
		all = append(all, tableColumn{f.Index, parts[0], parts[1], parts[2] == "blank"})
	}
	return all
}

// cell formats the field of one row.
// A verb that does not fit the type of the field shows as fmt's own error text.
func (c *tableColumn) cell(row reflect.Value) string {
	v := row.FieldByIndex(c.index)
	if c.blank && v.IsZero() {
		return ""
	}
	var s string
	switch c.format {
	case "":
		s = fmt.Sprint(v.Interface())
	case "MiB":
		s = fmt.Sprintf("%.0f", float64(v.Int())/(1<<20))
	default:
		s = fmt.Sprintf(c.format, v.Interface())
	}
	// A bar would end the cell in Markdown.
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ")
}

// renderRows writes rows of one struct type as a Markdown table. It leaves out columns that are
// empty in all rows, and aligns columns of numbers to the right. A column that no row fills would only
// widen the table: an experiment without budgets has no column of budgets.
// All rows must have the type of the first.
func renderRows(b *strings.Builder, rows []any) {
	all := tableColumns(reflect.TypeOf(rows[0]))
	cells := make([][]string, len(rows))
	used := make([]bool, len(all))
	for i, r := range rows {
		for k := range all {
			s := all[k].cell(reflect.ValueOf(r))
			cells[i] = append(cells[i], s)
			used[k] = used[k] || s != ""
		}
	}
	// The head, the rule and the rows have the same columns.
	line := func(cell func(k int) string) {
		b.WriteString("|")
		for k := range all {
			if used[k] {
				b.WriteString(cell(k))
				b.WriteString("|")
			}
		}
		b.WriteString("\n")
	}
	line(func(k int) string { return " " + all[k].title + " " })
	line(func(k int) string {
		if kind := reflect.TypeOf(rows[0]).FieldByIndex(all[k].index).Type.Kind(); kind >= reflect.Int && kind <= reflect.Float64 {
			return "---:"
		}
		return "---"
	})
	for i := range rows {
		line(func(k int) string { return " " + cells[i][k] + " " })
	}
}
