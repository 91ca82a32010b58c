package command

import (
	"bufio"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"bigmkl/internal/dataset/table"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/selection"
)

// parseSplits parses N:SHARE, N random splits that leave out a share of the rows. A standard
// error takes at least two.
func parseSplits(text string) (selection.Splits, error) {
	// Both parts are parsed before any check, so one message covers every malformed text.
	n, share, ok := strings.Cut(text, ":")
	count, err := strconv.Atoi(n)
	x, e := strconv.ParseFloat(share, 64)
	switch {
	case !ok || err != nil || e != nil:
		return selection.Splits{}, fmt.Errorf("%s is not N:SHARE, such as 30:0.2", fail.Quote(text))
	case count < 2:
		return selection.Splits{}, fmt.Errorf("%s has fewer than two splits, of which no error can be found", fail.Quote(text))
	// The negated form also rejects NaN.
	case !(x > 0 && x < 1):
		return selection.Splits{}, fmt.Errorf("%s has a share that is not between 0 and 1", fail.Quote(text))
	}
	return selection.Splits{Random: count, Share: x}, nil
}

// parseShares parses SHARES@VIEW: the shares of rows that lack a view, written as powers of
// costs are. A share of 1 would leave no row with the view. 0 is useful as the case to compare with.
func parseShares(text string) (selection.Trials, error) {
	shares, view, ok := strings.Cut(text, "@")
	list, err := parsePowers(shares)
	// parsePowers has rejected negative shares.
	for _, x := range list {
		ok = ok && x < 1
	}
	if !ok || err != nil || view == "" {
		return selection.Trials{}, fmt.Errorf("%s is not SHARES@VIEW, such as 0.1..0.5/5@expression", fail.Quote(text))
	}
	return selection.Trials{Missing: list, MissingView: view}, nil
}

// parseNoise parses N@VIEW.
// A copy has the values of its view in shuffled rows: the same distribution without information on the
// label.
func parseNoise(text string) (selection.Trials, error) {
	n, view, ok := strings.Cut(text, "@")
	count, err := strconv.Atoi(n)
	if !ok || err != nil || count < 1 || count > mostCopies || view == "" {
		return selection.Trials{}, fmt.Errorf("%s is not N@VIEW with N from 1 to %d, such as 2@expression", fail.Quote(text), mostCopies)
	}
	return selection.Trials{Noise: count, NoiseView: view}, nil
}

// mostCopies is the largest number of copies of a view. Each copy adds all features of the view
// to every row in memory.
const mostCopies = 100

// parsePart parses I/N. I counts from 1.
// The pair {0, 0} is the value without --part, so a parsed pair never equals it.
func parsePart(text string) ([2]int, error) {
	i, n, ok := strings.Cut(text, "/")
	part, err := strconv.Atoi(i)
	parts, e := strconv.Atoi(n)
	if !ok || err != nil || e != nil || part < 1 || part > parts {
		return [2]int{}, fmt.Errorf("%s is not I/N, such as 2/8", fail.Quote(text))
	}
	return [2]int{part, parts}, nil
}

// parsePositiveCount parses a count of at least 1.
// The text is cut in the message, since a user may pass a whole file by mistake.
func parsePositiveCount(text string) (int, error) {
	n, err := parseCount(text)
	if err == nil && n < 1 {
		err = fmt.Errorf("%s is not at least 1", fail.Cut(text))
	}
	return n, err
}

// readNames reads one name a line, one for each row that is used, and at most limit names unless
// it is 0. Without a path it returns nil. The names are of folds or groups, so an empty line,
// which would put unrelated rows together, is an error. bufio limits a line to 64 KiB.
func readNames(path string, limit int) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	if file, column, ok := cutColumn(path); ok {
		return table.ReadColumn(file, column, limit)
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	defer f.Close()
	var names []string
	// The number of names is compared with the number of rows later, when the rows have been read.
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if limit > 0 && len(names) == limit {
			break
		}
		name := strings.TrimSpace(lines.Text())
		switch {
		case name == "":
			return nil, fail.New(fail.Input, "the line is empty").At(path, len(names)+1, 0).
				WithHint("each row has a line with a name")
		// Names go into JSON, which has no other bytes.
		case !utf8.ValidString(name):
			return nil, fail.New(fail.Input, "the name %s is not UTF-8", fail.Word(name)).At(path, len(names)+1, 0)
		}
		names = append(names, name)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fail.New(fail.Input, "the line is too long for a name").At(path, len(names)+1, 0)
	}
	if err := lines.Err(); err != nil {
		return nil, files.InputFault("cannot read", path, err)
	}
	if len(names) == 0 {
		return nil, fail.New(fail.Input, "the file has no lines").At(path, 0, 0)
	}
	return names, nil
}

// cutColumn cuts FILE:COLUMN. The name of a file as a whole is not the name of a column.
func cutColumn(text string) (file, column string, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at <= 0 || at+1 == len(text) {
		return "", "", false
	}
	if _, err := files.Stat(text); err == nil {
		return "", "", false
	}
	_, err := files.Stat(text[:at])
	return text[:at], text[at+1:], err == nil
}
