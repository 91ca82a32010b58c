package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// A file of options is TOML. Its keys are the names of the flags of its command, and dataKey lists
// the data files. Flags of the command line beat the file. Config writes files of train with all defaults, so there a value
// that is the default of its flag counts as not given, and excludes nothing.

// setting is the value of one option, as text. It has a place if it is from a file. Values stay texts,
// because the parsers of flags read them: a value has one meaning and one message, wherever it comes
// from.
type setting struct {
	key string
	// kind is the kind of value in TOML, for the check whether a number or a text was expected.
	kind unstable.Kind
	// values has the elements of an array, or else the only value.
	values       []string
	line, column int
}

const (
	// dataKey is the key of the data files, which no flag names.
	dataKey = "data"
	// configFlag names the file of options. It is not a key: files do not name each other.
	configFlag = "config"
	// maxConfig is the largest size of a file of options in bytes.
	maxConfig = 1 << 20
)

// readConfig reads a file of options. All faults are of class fail.Usage and have a place. A file that
// cannot be opened or read has an error of class fail.Input, as data have.
func readConfig(path string) ([]setting, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	defer f.Close()
	// One byte more than the limit shows that the file is longer. Its size is not asked: a pipe has
	// none.
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, files.InputFault("cannot read", path, err)
	}
	if len(text) > maxConfig {
		return nil, fail.New(fail.Usage, "a file of options has at most %d bytes", maxConfig).At(path, 0, 0)
	}
	list, err := parseConfig(text)
	return list, atFile(err, path)
}

// atFile enters the file in the places of joined errors and returns them.
func atFile(err error, path string) error {
	for _, e := range splitJoined(err) {
		var fault *fail.Error
		if errors.As(e, &fault) {
			fault.At(path, fault.Line, fault.Column)
		}
	}
	return err
}

// parseConfig parses the text of a file of options. It finds tables, duplicate keys and values
// that are not options, and leaves it to applySettings whether the keys are flags. All faults are
// returned together. A user who has to edit a file wants to see all of its lines at once.
func parseConfig(text []byte) ([]setting, error) {
	// Editors on Windows write a byte order mark, which TOML does not allow.
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	// The decoder knows all rules of TOML, and the parser below accepts more than TOML. But only
	// the parser gives places and texts as they are written, which messages and numbers such as
	// 1e-3 need.
	if err := toml.Unmarshal(text, &map[string]any{}); err != nil {
		var known *toml.DecodeError
		line, column := 0, 0
		if errors.As(err, &known) {
			line, column = known.Position()
		}
		return nil, fail.New(fail.Usage, "%s", fail.Line(err.Error())).At("", line, column)
	}
	var list []setting
	var faults []error
	lines := map[string]int{}
	p := &unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		node := p.Expression()
		s, err := newSetting(p, node)
		if before, twice := lines[s.key]; err == nil && twice {
			err = fmt.Errorf("given in line %d already", before)
		}
		if err != nil {
			faults = append(faults, placed(err, s))
			continue
		}
		lines[s.key] = s.line
		list = append(list, s)
	}
	if err := p.Error(); err != nil {
		faults = append(faults, fail.New(fail.Usage, "%s", fail.Line(err.Error())))
	}
	return list, errors.Join(faults...)
}

// newSetting converts an expression of the file. The setting has a place even if there is an error. The
// place of a setting is the place of its key. Tables are rejected: options have one level, and a table
// would be a mistake for another program's file.
func newSetting(p *unstable.Parser, node *unstable.Node) (s setting, err error) {
	var name []string
	for it := node.Key(); it.Next(); {
		key := it.Node()
		if name == nil {
			at := p.Shape(key.Raw).Start
			s.line, s.column = at.Line, at.Column
		}
		name = append(name, string(key.Data))
	}
	s.key = strings.Join(name, ".")
	if node.Kind != unstable.KeyValue || len(name) > 1 {
		return s, errors.New("a table, and options are no tables")
	}
	value := node.Value()
	s.kind = value.Kind
	if value.Kind != unstable.Array {
		text, err := scalar(value)
		s.values = []string{text}
		return s, err
	}
	for it := value.Children(); it.Next(); {
		text, err := scalar(it.Node())
		if err != nil {
			return s, err
		}
		s.values = append(s.values, text)
	}
	return s, nil
}

// scalar returns the text of a string, of a number or of a truth value, as it is on a command line.
// Dates and nested arrays are values of TOML that no option has.
func scalar(value *unstable.Node) (string, error) {
	text := string(value.Data)
	switch value.Kind {
	case unstable.String, unstable.Bool:
		return text, nil
	case unstable.Integer, unstable.Float:
		// TOML allows 1_000 and +5, and the flags do not.
		return strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+"), nil
	}
	return "", fmt.Errorf("no option has a value of kind %s", strings.ToLower(value.Kind.String()))
}

// applySettings gives flags the values of a file unless the command line has them. It returns all
// faults at once, with their places in the file. Faults of values and faults of keys come from two
// sources and are joined in the order of the file.
func applySettings(f *flags, list []setting, p *problemFlags) error {
	given := map[string]bool{} // An option of the command line leaves no room for another one in its place.
	for o := range eachOption {
		given[o.place()] = given[o.place()] || f.Changed(o.name)
	}
	var faults []error
	for _, s := range list {
		// Flags collect their faults, as a command line has no lines. Here each gets the place of its
		// key.
		before := len(f.faults)
		err := applySetting(f, s, given, p)
		// Values that a flag rejects are collected there, without a place.
		for _, e := range f.faults[before:] {
			faults = append(faults, placed(e, s))
		}
		f.faults = f.faults[:before]
		if err != nil {
			faults = append(faults, placed(err, s))
		}
	}
	return errors.Join(faults...)
}

// placed returns an error of class fail.Usage with the place of a setting.
func placed(err error, s setting) error {
	var fault *fail.Error
	if !errors.As(err, &fault) {
		fault = fail.New(fail.Usage, "%s: %w", fail.Cut(s.key), err)
	}
	fault.Line, fault.Column = s.line, s.column
	return fault
}

// applySetting gives one flag its value unless the command line has given it, or another in its place. given has the
// places that the command line takes.
func applySetting(f *flags, s setting, given map[string]bool, p *problemFlags) error {
	if s.key == dataKey {
		if len(p.rows.paths) == 0 {
			p.rows.paths = s.values
		}
		return needKind(s, unstable.String, unstable.Array)
	}
	flag := f.Lookup(s.key)
	if flag == nil || s.key == configFlag || s.key == "help" {
		return unknownKey(f, s)
	}
	o := optionNamed(s.key)
	if err := checkKind(flag.Value.Type(), o.kinds, s); err != nil {
		return err
	}
	if flag.Changed || given[o.place()] {
		return nil
	}
	// An array has the lines of a file of views, so one file holds the whole training.
	if s.key == "views" && s.kind == unstable.Array {
		return p.rows.setViews(s.values, &p.options)
	}
	// A list of the file replaces the default list. Set would append to it.
	if list, ok := plainValue(flag).(interface{ Replace([]string) error }); ok {
		flag.Changed = true
		return list.Replace(s.values)
	}
	text := strings.Join(s.values, ",")
	// A file that config has written holds every option. A default there must not count as the user's
	// wish, or it would exclude other options.
	if p.complete && text == flag.DefValue {
		return nil
	}
	return f.Set(s.key, text)
}

// checkKind rejects a value of a kind that neither its row of the table nor the type of its flag
// allows. A command line has texts alone. In a file, seed = true or kernels = 3 is a mistake that only
// the kind shows.
func checkKind(kind string, kinds []unstable.Kind, s setting) error {
	switch {
	case kind == "bool":
		return needKind(s, unstable.Bool)
	case strings.HasSuffix(kind, "Slice"), strings.HasSuffix(kind, "Array"):
		return needKind(s, unstable.Array, unstable.String, unstable.Integer)
	case kinds != nil:
		return needKind(s, kinds...)
	case kind == "string":
		return needKind(s, unstable.String)
	}
	return needKind(s, unstable.String, unstable.Integer, unstable.Float)
}

// needKind returns an error unless a value is of one of the kinds.
func needKind(s setting, kinds ...unstable.Kind) error {
	if slices.Contains(kinds, s.kind) {
		return nil
	}
	var names []string
	for _, k := range kinds {
		names = append(names, strings.ToLower(k.String()))
	}
	return fmt.Errorf("a value of kind %s where there should be one of kind %s",
		strings.ToLower(s.kind.String()), strings.Join(names, " or "))
}

// unknownKey returns the error of a key that is not an option, with the options that may be meant. A
// misspelt key must not be ignored, as the training would run with a default in its place.
func unknownKey(f *flags, s setting) error {
	if s.key == configFlag {
		return fail.New(fail.Usage, "a file of options names no other one").WithHint("leave %s out", configFlag)
	}
	err := fail.New(fail.Usage, "unknown option %s", fail.Quote(s.key))
	names := append(flagNames(f.FlagSet), dataKey)
	names = slices.DeleteFunc(names, func(name string) bool { return !isNear(name, s.key) })
	if len(names) == 0 {
		return err.WithHint("bigmkl help %s lists the options", f.Name())
	}
	return err.WithHint("did you mean %s?", strings.Join(names[:min(len(names), mostNear)], " or "))
}
