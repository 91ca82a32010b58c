package fail

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWordsAreCut(t *testing.T) {
	long := strings.Repeat("é", 40)
	for _, c := range []struct{ in, quote, word, label string }{
		{"", `""`, `""`, `""`},
		{"virginica", `"virginica"`, `"virginica"`, "virginica"},
		{strings.Repeat("a", 32), `"` + strings.Repeat("a", 32) + `"`, `"` + strings.Repeat("a", 32) + `"`, strings.Repeat("a", 32)},
		{strings.Repeat("a", 33), `"` + strings.Repeat("a", 32) + `"...`, `"` + strings.Repeat("a", 32) + `"...`, `"` + strings.Repeat("a", 32) + `"...`},
		{long, `"` + long[:32] + `"...`, `"` + long[:32] + `"...`, `"` + long[:32] + `"...`},
		{"x" + long, `"x` + long[:30] + `"...`, `"x` + long[:30] + `"...`, `"x` + long[:30] + `"...`},
		{"5.1,3.5,setosa", `"5.1,3.5,setosa"`, `"5.1"...`, `"5.1"...`},
		{"5.1;3.5;setosa", `"5.1;3.5;setosa"`, `"5.1"...`, `"5.1"...`},
		{"2,5", `"2,5"`, `"2,5"`, `"2,5"`},
		{",1,2", `",1,2"`, `",1,2"`, `",1,2"`},
		{"two words", `"two words"`, `"two words"`, `"two words"`},
		{"\x1b[31m", `"\x1b[31m"`, `"\x1b[31m"`, `"\x1b[31m"`},
		{"\xff", `"\xff"`, `"\xff"`, `"\xff"`},
		{strings.Repeat("\xff", 100), `"` + strings.Repeat(`\xff`, 32) + `"...`, `"` + strings.Repeat(`\xff`, 32) + `"...`, `"` + strings.Repeat(`\xff`, 32) + `"...`},
		{strings.Repeat("\x80", 100), `"` + strings.Repeat(`\x80`, 32) + `"...`, `"` + strings.Repeat(`\x80`, 32) + `"...`, `"` + strings.Repeat(`\x80`, 32) + `"...`},
	} {
		if got := Quote(c.in); got != c.quote {
			t.Errorf("Quote(%q) = %s, want %s", c.in, got, c.quote)
		}
		if got := Word([]byte(c.in)); got != c.word {
			t.Errorf("Word(%q) = %s, want %s", c.in, got, c.word)
		}
		if got := Label(c.in); got != c.label {
			t.Errorf("Label(%q) = %s, want %s", c.in, got, c.label)
		}
	}
}

func TestCutListLine(t *testing.T) {
	if s := Cut(strings.Repeat("é", 17)); len(s) > 32 || !utf8.ValidString(s) || !strings.HasSuffix(s, "é..") {
		t.Errorf("%q", s)
	}
	if s := Cut("gauss:0.5"); s != "gauss:0.5" {
		t.Errorf("%q", s)
	}
	names := strings.Split("abcdefghijkl", "")
	if s := List(func(i int) string { return names[i] }, 10); s != "a, b, c, d, e, f, g, h, i, j" {
		t.Errorf("%q", s)
	}
	if s := List(func(i int) string { return names[i] }, 12); s != "a, b, c, d, e, f, g, h, i, j, .." {
		t.Errorf("%q", s)
	}
	long := "/start " + strings.Repeat("é", 3000) + " (end)"
	if s := Line(long); len(s) > mostOfLine || len(s) < mostOfLine-8 || !utf8.ValidString(s) || !strings.HasPrefix(s, "/start é") || !strings.HasSuffix(s, "é (end)") {
		t.Errorf("%d bytes: %q", len(s), s)
	}
	if s := Line("a\nb\t c  d"); s != "a b  c  d" {
		t.Errorf("%q", s)
	}
}

// TestControlCharacters: a terminal gets none from the name of a file or from any place in a line.
func TestControlCharacters(t *testing.T) {
	for _, c := range []struct{ name, shown string }{
		{"rows.txt", "rows.txt"}, {"größe 1, \"x\".csv", "größe 1, \"x\".csv"}, {"a\x1b[31mb", `"a\x1b[31mb"`}, {"a\nb", `"a\nb"`},
		{"a\u009b31m", `"a\u009b31m"`}, {"a\x9b31m", `"a\x9b31m"`}, {"a\x7f", `"a\x7f"`},
	} {
		if got := Path(c.name); got != c.shown {
			t.Errorf("Path(%q) = %s, want %s", c.name, got, c.shown)
		}
		if got, want := New(Input, "no rows").At(c.name, 3, 0).Error(), c.shown+":3: no rows"; got != want {
			t.Errorf("an error at %q is %s, want %s", c.name, got, want)
		}
		want := strings.Trim(c.shown, `"`)
		if strings.Contains(c.name, "\n") {
			want = "a b"
		}
		if got := Line(c.name); got != want {
			t.Errorf("Line(%q) = %s, want %s", c.name, got, want)
		}
	}
}

// TestDecoding: errors of encoding/json quote what they could not read, which may be long.
func TestDecoding(t *testing.T) {
	secret := strings.Repeat("7", 500)
	for _, text := range []string{secret, `"` + secret + `"`, `{"` + secret + `":`, `{"a":` + secret + `}`, `{"a":"` + secret + `"}`, `[` + secret + `]`, `{"b":"` + secret + `"}`} {
		var v struct {
			A int8
			B Number
		}
		err := json.Unmarshal([]byte(text), &v)
		if err == nil {
			t.Fatalf("%.50s is read", text)
		}
		if s := Decoding(err); strings.Contains(s, strings.Repeat("7", 33)) || s == "" {
			t.Errorf("%.50s: %s", text, s)
		}
	}
}

// Number rejects texts as a type with a reader of its own does.
type Number int

// UnmarshalText quotes all of the text in its error.
func (n *Number) UnmarshalText(b []byte) error { return New(Input, "%s is no number", string(b)) }

// TestName: a name of several words is whole, and other names are as labels are.
func TestName(t *testing.T) {
	for in, want := range map[string]string{"drug and target": `"drug and target"`, "a, b, c": `"a, b, c"`, "drug": "drug", "": `""`} {
		if got := Name(in); got != want {
			t.Errorf("Name(%q) = %s, want %s", in, got, want)
		}
	}
}
