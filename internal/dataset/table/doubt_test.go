package table

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/dataset"
)

// column writes a table of 24 rows with a column v, whose value in a row is what the format makes of its number.
func column(value func(i int) string) string {
	var b strings.Builder
	b.WriteString("x,v,label\n")
	for i := range 24 {
		fmt.Fprintf(&b, "0.%d,\"%s\",%d\n", i, value(i), i%2)
	}
	return b.String()
}

// TestDoubt: a column that is neither plain numbers nor plain categories is rejected with its name, the place of an example and
// the option that settles it.
func TestDoubt(t *testing.T) {
	t.Parallel()
	number := func(format string) func(i int) string {
		return func(i int) string { return fmt.Sprintf(format, i+17, i*31%90+10) }
	}
	for _, c := range []struct {
		value      func(i int) string
		what, hint string
	}{
		{number("€%d.%d"), `in:2:\d+: values of column v look like numbers with signs around them, such as "€17.10"`, "write plain numbers"},
		{number("%d.%d %%"), "numbers with signs", "--id v"},
		{number("<%d.%d"), "numbers with signs", "--id v"},
		{number("-$%d.%d"), "numbers with signs", "--id v"},
		{number("($1,0%d.%d)"), "numbers with signs", "--id v"},
		{number("%d.%d EUR"), "numbers with signs", "--id v"},
		{number("−%d.%d"), "numbers with signs", "--id v"},
		{number("%d,%d"), "decimal comma, such as \"17,10\"", "--decimal comma reads them"},
		{number("-%d,%de-3"), "decimal comma", "--decimal comma reads them"},
		{number("0,0%d%d"), "decimal comma", "--decimal comma reads them"},
		{number("1,0%d.%d"), "separators", "--thousands reads them"},
		{number("1'0%d.%d"), "separators", "--thousands reads them"},
		{number("3 0%d.%d"), "separators", "--thousands reads them"},
		{number("1.0%d,%d"), "separators", "--decimal comma --thousands reads them"},
		{func(i int) string { return fmt.Sprintf("%d,%d", i+1, 400+i) }, "separators", "--thousands or --decimal comma"},
		{func(i int) string { return fmt.Sprintf("19%d-10-%02d", 17+i, i+1) }, "dates, such as \"1917-10-01\"", "--id v"},
		{func(i int) string { return fmt.Sprintf("%d.%d.20%02d", i+1, i%12+1, i) }, "dates", "--id v"},
		{func(i int) string { return fmt.Sprintf("%d/%d/%d 7:%02d", i%12+1, i+1, 1990+i, i) }, "dates", "--id v"},
		{func(i int) string { return fmt.Sprintf("%d Mar 2011", i+1) }, "dates", "--id v"},
		{func(i int) string { return fmt.Sprintf("2011-03-%02dT11:12:13Z", i+1) }, "dates", "--id v"},
		{func(i int) string { return fmt.Sprintf("sample %c", 'a'+i) }, "a word of its own", "--categories v makes a feature of each word"},
		{func(i int) string { return fmt.Sprintf("GSM%d", 100+i/2*2) }, "", ""},
		{func(i int) string {
			if i%5 == 3 {
				return "unknown"
			}
			return fmt.Sprint(i)
		}, `in:5:\d+: "unknown" in column v, a column of numbers`, "--na unknown"},
		{func(int) string { return "<NA>" }, "column v has no value in the first 24 rows", "--id v"},
	} {
		text := column(c.value)
		_, err := readFile(t, text, Options{})
		what := strings.TrimPrefix(strings.ReplaceAll(c.what, `\d+`, "6"), "in")
		switch {
		case c.what == "" && err != nil, c.what != "" && err == nil:
			t.Errorf("%.60q: %v", text, err)
		case err != nil && (!strings.Contains(strings.ReplaceAll(err.Error(), ":5: ", ":6: "), what) || !strings.Contains(err.Error(), c.hint)):
			t.Errorf("%.60q: %v, and neither %s nor %s", text, err, what, c.hint)
		}
		if _, err := readFile(t, text, Options{Skip: []string{"v"}}); err != nil {
			t.Errorf("%.60q without the column: %v", text, err)
		}
		if _, err := readFile(t, text, Options{Categories: []string{"v"}}); err != nil {
			t.Errorf("%.60q as categories: %v", text, err)
		}
	}
}

// TestNumbersAsWritten: what an option reads gives the rows of the plain numbers.
func TestNumbersAsWritten(t *testing.T) {
	t.Parallel()
	const want = "a 1:1234.5 2:-0.25\nb 1:7 2:1e+06\n"
	for text, o := range map[string]Options{
		"u,v,label\n1234.5,-0.25,a\n7,1000000,b\n":                   {},
		"u;v;label\n1234,5;-0,25;a\n7;1e6;b\n":                       {Decimal: DecimalComma},
		"u,v,label\n\"1,234.5\",-0.25,a\n7,\"1,000,000\",b\n":        {Thousands: true},
		"u,v,label\n1'234.5,-0.25,a\n7,1’000’000,b\n":                {Thousands: true},
		"u;v;label\n1.234,5;-0,25;a\n7;1.000.000;b\n":                {Decimal: DecimalComma, Thousands: true},
		"u;v;label\n1 234,5;-0,25;a\n7;1\u00a0000\u00a0000;b\n":      {Decimal: DecimalComma, Thousands: true},
		"\"1234,5\";\"-0,25\";a\n7;1000000;b\n":                      {Decimal: DecimalComma, Label: "3"},
		"u,v,when,label\n1234.5,-0.25,2001-02-03,a\n7,1000000,-,b\n": {Skip: []string{"when"}},
	} {
		if got, err := readFile(t, text, o); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, word := range []string{"1.5", "1,2,3", "1.23,4", "12345,678.9", "0,123", "1,23", "1,2345", ",5,", "1.000,5", "--5"} {
		if v, ok := (&Options{Thousands: true}).number(word); ok && word != "1.5" {
			t.Errorf("%s is the number %v with separators", word, v)
		}
		if v, ok := (&Options{Decimal: DecimalComma}).number(word); ok && word != "0,123" && word != "1,23" && word != "1,2345" {
			t.Errorf("%s is the number %v with a decimal comma", word, v)
		}
	}
	if got, err := readFile(t, "a;label\n1,5;2,5\n2,5;3\n", Options{Decimal: DecimalComma, Labels: dataset.Targets}); err != nil || got != " 1:1.5\n 1:2.5\n" {
		t.Errorf("targets: %q, %v", got, err)
	}
	text := strings.Repeat("1.5;a\n", 12) + strings.Repeat("2.5;b\n", 12)
	if _, err := readFile(t, "v;label\n"+text, Options{Decimal: DecimalComma}); err == nil || !strings.Contains(err.Error(), "--decimal point") {
		t.Errorf("points where a comma was said: %v", err)
	}
}

// TestMissingWords: every spelling of a missing value is recognised, the spellings of the user included, and no class is.
func TestMissingWords(t *testing.T) {
	t.Parallel()
	for _, word := range append(spellings, "n/k", "-999", "-999.0", "-9.99e2") {
		o := Options{NA: []string{"n/k", "-999"}}
		for _, text := range []string{"1,3,a\n2,%s,b\n", "1,red,a\n2,%s,b\n1,blue,a\n3,blue,b\n3,red,b\n"} {
			text = "x,v,label\n" + fmt.Sprintf(text, word)
			if _, err := readFile(t, text, o); err == nil || !strings.Contains(err.Error(), "in:3:3: the value of column v is missing") {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	got, err := readFile(t, "v,label\n1,+\n2,-\n3,NA\n4,<NA>\n5,None\n", Options{Unlabelled: true})
	if err != nil || got != "+1 1:1\n-1 1:2\n 1:3\n 1:4\nNone 1:5\n" && got != "+ 1:1\n- 1:2\n 1:3\n 1:4\nNone 1:5\n" {
		t.Errorf("classes: %q, %v", got, err)
	}
}

// TestHeadersOfWords: a line of words alone above other words is a header where these recur, or where an option has its names;
// in doubt the message names the option.
func TestHeadersOfWords(t *testing.T) {
	t.Parallel()
	words := "veil,ring,kind\n" + strings.Repeat("n,o,good\nw,t,bad\n", 6)
	for _, o := range []Options{{Label: "kind"}, {Label: "3"}, {Label: "kind", Header: "yes"}} {
		if got, err := readFile(t, words, o); err != nil || !strings.HasPrefix(got, "good 1:1 3:1\nbad 2:1 4:1\n") {
			t.Errorf("%v: %q, %v", o, got, err)
		}
	}
	few := "veil,ring,kind\nn,o,good\nw,t,bad\n"
	if _, err := readFile(t, few, Options{}); err == nil || !strings.Contains(err.Error(), "--header yes if") {
		t.Errorf("few rows: %v", err)
	}
	if got, err := readFile(t, few, Options{Label: "kind"}); err != nil || got != "good 1:1 3:1\nbad 2:1 4:1\n" {
		t.Errorf("few rows and an option: %q, %v", got, err)
	}
	if got, err := readFile(t, strings.Repeat("n,o,good\nw,t,bad\n", 6), Options{Label: "3"}); err != nil || strings.Count(got, "\n") != 12 {
		t.Errorf("no header: %q, %v", got, err)
	}
	dates := "when,v,label\n" + strings.Repeat("2001-02-03,1,a\n", 3)
	if _, err := readFile(t, dates, Options{}); err == nil || !strings.Contains(err.Error(), "values of column when look like dates") {
		t.Errorf("dates below: %v", err)
	}
}
