package commandtest

import (
	"encoding/csv"
	"fmt"
	"strings"
)

// SameCells compares the lines of predict with its table of the same rows. Each record has as many
// cells as the header, and behind the names of its row the words of its line.
func SameCells(lines, table string) error {
	records, err := csv.NewReader(strings.NewReader(table)).ReadAll() // It rejects records of other lengths.
	if err != nil || len(records) == 0 {
		return fmt.Errorf("%d records: %w", len(records), err)
	}
	header := records[0]
	list := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	if text, ok := strings.CutPrefix(list[0], "labels "); ok {
		var classes []string
		for _, name := range header {
			if class, ok := strings.CutPrefix(name, "probability "); ok {
				classes = append(classes, class)
			}
		}
		if list = list[1:]; strings.Join(classes, " ") != text {
			return fmt.Errorf("header %q, and classes %q in the line of labels", header, text)
		}
	}
	if len(records)-1 != len(list) {
		return fmt.Errorf("%d records of %d lines", len(records)-1, len(list))
	}
	for i, r := range records[1:] {
		if text := strings.Join(r, " "); text != list[i] && !strings.HasSuffix(text, " "+list[i]) {
			return fmt.Errorf("record %d is %q, and its line %q", i+1, text, list[i])
		}
	}
	return nil
}
