package selection

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/train"
)

// settings is the file selection.json: what the figures of a selection depend on. A run goes on only
// in a folder with the same settings, which are compared as text.
type settings struct {
	Version int          `json:"version"`
	Facts   []train.Fact `json:"facts"` // of the data, the program and each list of kernels
	Measure string       `json:"measure"`
	Costs   []float64    `json:"costs"`
	Nested  bool         `json:"nested"`
	Arms    []Arm        `json:"arms"`
	Folds   []string     `json:"folds"` // a hash of the rows of each, by name
	// Preparation names the rows from which scaling, widths and the like are prepared.
	Preparation Preparation `json:"preparation,omitempty"`
	// Trials is Trials as text, and a hash of all rows, where there are trials.
	Trials string `json:"trials,omitempty"`
	// Tune is nil where nothing is tuned.
	Tune *tuneSettings `json:"tune,omitempty"`
}

// settingsVersion is the version of the files of a folder. A file of another version is rejected: its
// keys could have another meaning.
const settingsVersion = 1

const (
	settingsFile = "selection.json"
	chainsFolder = "chains"
	tuningFolder = "tuning"
	commandFile  = "command.json"
)

// chain is the file of an arm that is trained without one fold, or two: a cell for each cost so far.
// A point of a tuning has a chain of one cell for each fold.
type chain struct {
	Arm   int    `json:"arm"`
	Fold  string `json:"fold"`
	Other string `json:"other,omitempty"` // the second fold, of a nested selection
	Cells []cell `json:"cells"`
	// Wide is set if the chain has the cost beyond the grid alone.
	Wide bool `json:"wide,omitempty"`
	// Point is the number of the point of a tuning, from 1, and Factors are its regularisation
	// parameters or weights. Chains of cells have neither.
	Point   int       `json:"point,omitempty"`
	Factors []float64 `json:"factors,omitempty"`
	// Alpha holds the dual variables after the last cell, classifiers x rows float64, little-endian
	// and in base 64. It is empty once there is a cell for every cost, except where a tuning may
	// start from it.
	Alpha string `json:"alpha,omitempty"`
	// Sum is a hash of the settings and of the rest of the file. A digit that changed on disk would
	// be a wrong figure, and the chain of another selection would look like one of this.
	Sum string `json:"sum"`
}

// cell is what one training has found.
type cell struct {
	Cost float64 `json:"C"`
	// Gap is the certified relative gap of the training, the largest one of several classifiers.
	Status     string  `json:"status"`
	Gap        float64 `json:"gap"`
	Iterations int     `json:"iterations"`
	Seconds    float64 `json:"seconds"`
	// Figures holds the figures on the rows of the fold, and then on the rows of the other one.
	// Figures that are not defined are missing.
	Figures []map[string]float64 `json:"figures"`
	// Values has decision values on rows of the fold; see keptValues. It is empty where none are kept.
	Values string `json:"values,omitempty"`
}

// names lists the folds of a chain.
func (c *chain) names() []string {
	if c.Other == "" {
		return []string{c.Fold}
	}
	return []string{c.Fold, c.Other}
}

// pathOf returns where the file of a chain lies in a folder.
func (c *chain) pathOf(folder string) string {
	if c.Point > 0 {
		return c.tunedPath(folder)
	}
	name := fmt.Sprintf("%04d-%s", c.Arm, fileName(c.Fold))
	if c.Other != "" {
		name += "+" + fileName(c.Other)
	}
	if c.Wide {
		name += "-wide"
	}
	return filepath.Join(folder, chainsFolder, name+".json")
}

// mostName is the largest number of bytes of a fold's name in the name of a file. File systems
// take 255 bytes: two folds, the number of the arm and the ending.
const mostName = 80

// fileName makes a name of a fold that every system takes. Capitals and other characters become
// their codes, because some systems take a and A for one name; a hash replaces the end of a long
// name.
func fileName(fold string) string {
	var out []byte
	for _, b := range []byte(fold) {
		if b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b == '.' {
			out = append(out, b)
		} else {
			out = fmt.Appendf(out, "_%02x", b)
		}
	}
	if len(out) > mostName {
		return string(out[:mostName-17]) + "_" + hashOf([]byte(fold))
	}
	return string(out)
}

// hashOf returns a hash of some bytes as 16 hexadecimal digits. It finds damage and differences, and is
// not meant against an attacker.
func hashOf(parts ...[]byte) string {
	h := fnv.New64a()
	for _, b := range parts {
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sum returns the value of Sum for the contents of the file, in a selection whose settings have
// the given hash.
func (c chain) sum(selection string) (string, error) {
	c.Sum = ""
	b, err := json.Marshal(c)
	return hashOf([]byte(selection), b), err
}

// writeJSON writes a file whole or not at all. Parts that share a folder write some files at the same
// moment, and the same into them, which is not a fault.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	b = append(b, '\n')
	if _, err := f.Write(b); err != nil {
		return err
	}
	// Commit rejects a target that another process has written since Create. Equal bytes mean
	// that the other part came to the same file.
	if err = f.Commit(); errors.Is(err, fail.Input) {
		if there, e := readFile(path); e == nil && bytes.Equal(there, b) {
			return nil
		}
	}
	return err
}

// readJSON reads a file that writeJSON wrote. found is false if there is none.
func readJSON(path string, v any) (found bool, err error) { return decodeFile(path, v, true) }

// readTable reads a table as readJSON does, but accepts unknown keys: tables of former versions
// have keys that were removed since.
func readTable(path string, s *Selection) (found bool, err error) { return decodeFile(path, s, false) }

// decodeFile reads a file. strict rejects keys that v does not have.
func decodeFile(path string, v any, strict bool) (found bool, err error) {
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, files.OwnFault("cannot read the selection", path, err)
	}
	// A file of this program has every key in use. An unknown one is from a newer version, whose
	// meaning a run must not guess, or is damage.
	d := json.NewDecoder(bytes.NewReader(b))
	if strict {
		d.DisallowUnknownFields()
	}
	if err = d.Decode(v); err == nil && len(bytes.TrimSpace(b[d.InputOffset():])) > 0 {
		err = errors.New("something follows the end")
	}
	if err != nil {
		return false, damaged(path, "the file of a selection is damaged: %w", err)
	}
	return true, nil
}

// readFile reads all of a file.
func readFile(path string) ([]byte, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// damaged returns an error of class fail.Corrupt about a file of a folder.
func damaged(path, format string, args ...any) error {
	return fail.New(fail.Corrupt, format, args...).At(path, 0, 0).
		WithHint("remove it, and what it holds is trained again")
}

// encodeAlpha returns dual variables as text with every bit, in about half of the bytes that
// decimal numbers would take.
func encodeAlpha(alpha [][]float64) string {
	var b []byte
	for _, a := range alpha {
		for _, x := range a {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return base64.StdEncoding.EncodeToString(b)
}

// decodeAlpha reads the dual variables of so many classifiers at so many rows.
func decodeAlpha(text string, classifiers, rows int) ([][]float64, bool) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != 8*classifiers*rows {
		return nil, false
	}
	alpha := make([][]float64, classifiers)
	for k := range alpha {
		alpha[k] = make([]float64, rows)
		for i := range alpha[k] {
			x := math.Float64frombits(binary.LittleEndian.Uint64(b))
			// A checksum covers the file, so this finds a fault of the program that wrote it. A
			// NaN would spread to all gradients.
			if math.IsNaN(x) {
				return nil, false
			}
			alpha[k][i], b = x, b[8:]
		}
	}
	return alpha, true
}

// openFolder makes the folder of a selection, or finds that it has this selection.
func openFolder(folder string, s *settings, command []string, resume bool) error {
	path := settingsPath(folder)
	var there settings
	found, err := readJSON(path, &there)
	switch {
	case err != nil:
		return err
	case found && !resume:
		return fail.New(fail.Usage, "the folder has a selection already").At(folder, 0, 0).
			WithHint("--resume goes on with it; another -o begins a new one")
	case found:
		return rejectOther(folder, &there, s)
	}
	// The settings are written last. A folder with settings is then complete, and a run that was
	// killed here starts again from nothing.
	made := []string{chainsFolder}
	if s.Tune != nil {
		made = append(made, tuningFolder)
	}
	for _, name := range made {
		path := filepath.Join(folder, name)
		if err := files.MkdirAll(path, 0o777); err != nil {
			return files.OwnFault("cannot make the folder", path, err)
		}
	}
	if command != nil {
		if err := writeJSON(filepath.Join(folder, commandFile), command); err != nil {
			return err
		}
	}
	return writeJSON(path, s)
}

// CommandOf returns the words of Options.Command of the run that made a folder, nil if it had none.
func CommandOf(folder string) (words []string, err error) {
	_, err = readJSON(filepath.Join(folder, commandFile), &words)
	return words, err
}

// rejectOther returns an error if the folder has another selection than this one. The message names the
// first difference and both values, because a user has to find the option that changed.
func rejectOther(folder string, there, here *settings) error {
	other := func(what string, a, b any) error {
		return fail.New(fail.Usage, "the folder has another selection: %s is %s there and %s here",
			what, fail.Cut(fmt.Sprint(a)), fail.Cut(fmt.Sprint(b))).At(folder, 0, 0)
	}
	if there.Version != here.Version {
		return fail.New(fail.Version, "the folder is of version %d, this program writes version %d",
			there.Version, here.Version).At(folder, 0, 0)
	}
	// Other data or kernels change the folds and the arms, too. The facts are compared first, so
	// the message names the cause.
	for i, f := range here.Facts {
		if i >= len(there.Facts) || there.Facts[i].Name != f.Name {
			return other("what it depends on", len(there.Facts), len(here.Facts))
		}
		if there.Facts[i] != f {
			return other(f.Name, there.Facts[i].Value, f.Value)
		}
	}
	switch {
	case len(there.Facts) != len(here.Facts):
		return other("what it depends on", len(there.Facts), len(here.Facts))
	case there.Measure != here.Measure:
		return other("the measure", there.Measure, here.Measure)
	case !slices.Equal(there.Costs, here.Costs):
		return other("C", there.Costs, here.Costs)
	case (there.Tune == nil) != (here.Tune == nil) || here.Tune != nil && *there.Tune != *here.Tune:
		return other("the tuning", there.Tune, here.Tune)
	case there.Preparation != here.Preparation:
		return other("the preparation", there.Preparation, here.Preparation)
	case there.Trials != here.Trials:
		return other("the trials", there.Trials, here.Trials)
	case there.Nested != here.Nested:
		return other("nested", there.Nested, here.Nested)
	case !slices.EqualFunc(there.Arms, here.Arms, Arm.equals):
		return other("kernels and norms", there.Arms, here.Arms)
	case !slices.Equal(there.Folds, here.Folds):
		return other("the folds", len(there.Folds), len(here.Folds)).(*fail.Error).
			WithHint("the same seed, splits, groups and data give the same folds")
	}
	return nil
}

// check returns an error if the file of a chain does not fit this selection, which could then not
// resume from it. selection is the hash of its settings.
func (c *chain) check(path, selection string, want *chain, costs []float64, folds int) error {
	sum, err := c.sum(selection)
	if err != nil {
		return err
	}
	sound := c.Sum == sum && c.Arm == want.Arm && c.Fold == want.Fold && c.Other == want.Other &&
		c.Point == want.Point && c.Wide == want.Wide && slices.Equal(c.Factors, want.Factors) &&
		len(c.Cells) <= len(costs)
	for j := range c.Cells {
		sound = sound && c.Cells[j].Cost == costs[j] && len(c.Cells[j].Figures) == folds
	}
	if !sound {
		return damaged(path, "the file is damaged or is that of another selection")
	}
	return nil
}

// settingsPath returns where the settings of a folder lie.
func settingsPath(folder string) string { return filepath.Join(folder, settingsFile) }

// tunedPath returns where the file of a training of a tuning lies in a folder.
func (c *chain) tunedPath(folder string) string {
	return filepath.Join(folder, tuningFolder, fmt.Sprintf("%04d-%s.json", c.Point, fileName(c.Fold)))
}
