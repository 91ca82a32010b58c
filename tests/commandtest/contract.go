package commandtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// schema is the part of a JSON schema that docs/output.schema.json uses.
type schema struct {
	Description string             `json:"description"`
	Type        any                `json:"type"` // a name or a list of names
	Enum        []string           `json:"enum"`
	Const       any                `json:"const"`
	Ref         string             `json:"$ref"`
	AnyOf       []*schema          `json:"anyOf"`
	OneOf       []*schema          `json:"oneOf"`
	Items       *schema            `json:"items"`
	MinItems    int                `json:"minItems"`
	MaxItems    int                `json:"maxItems"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
	Unevaluated *bool              `json:"unevaluatedProperties"`
	Defs        map[string]*schema `json:"$defs"`
}

// schemaFile is the schema, in a folder above the one where tests start. Tests may leave that one. Files that the compiler
// names have no path in a build with -trimpath.
var schemaFile = func() string {
	folder, _ := os.Getwd()
	for {
		path := filepath.Join(folder, "docs", "output.schema.json")
		if _, err := os.Stat(path); err == nil || folder == filepath.Dir(folder) {
			return path
		}
		folder = filepath.Dir(folder)
	}
}()

// ContractSchema is read once.
var ContractSchema = sync.OnceValues(func() (*schema, error) {
	b, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	s := &schema{}
	return s, json.Unmarshal(b, s)
})

// CheckContract holds an object that --json has printed to the schema.
func CheckContract(t testing.TB, object map[string]any) {
	t.Helper()
	root, err := ContractSchema()
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Check(root, object); err != nil {
		t.Errorf("--json: %v", err)
	}
}

// mostChecked is the number of bytes of standard output up to which its objects are compared with the schema.
const mostChecked = 1 << 20

// checkPrinted holds every object that a command has printed to the schema. A test may expect any output,
// so a difference ends the test by a panic.
func checkPrinted(args []string, stdout string) {
	if len(stdout) > mostChecked || !strings.HasPrefix(stdout, `{"contract":`) {
		return
	}
	root, err := ContractSchema()
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(stdout) {
		var object map[string]any
		if json.Unmarshal([]byte(line), &object) != nil {
			continue // What was cut is for the test to judge.
		}
		if err := root.Check(root, object); err != nil {
			panic(fmt.Sprintf("%q: --json: %v", args, err))
		}
	}
}

// Check returns an error that names the place where a value differs from the schema.
func (s *schema) Check(root *schema, v any) error { return s.check(root, v, map[string]bool{}) }

// Words returns the type of a value as docs/JSON.md has it. Brackets show what may be null: the array or its items.
func (s *schema) Words() string {
	if s.Ref != "" {
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	}
	var words []string
	for _, one := range slices.Concat(s.AnyOf, s.OneOf) {
		words = append(words, one.Words())
	}
	types := s.types()
	if types == nil && s.Enum != nil {
		types = []string{"string"}
	}
	for _, name := range types {
		if name == "array" && s.Items != nil {
			items := s.Items.Words()
			if strings.Contains(items, " or ") && !strings.HasPrefix(items, "array of ") {
				items = "(" + items + ")"
			}
			if name = "array of " + items; len(types) > 1 {
				name = "(" + name + ")"
			}
		}
		words = append(words, name)
	}
	return strings.Join(words, " or ")
}

// check is Check. Keys of v that the schema names are added to known.
func (s *schema) check(root *schema, v any, known map[string]bool) error {
	if types := s.types(); types != nil && !slices.ContainsFunc(types, func(name string) bool { return isOf(name, v) }) {
		return fmt.Errorf("%.80q is no %s", fmt.Sprint(v), strings.Join(types, " or "))
	}
	if s.Const != nil && v != s.Const {
		return fmt.Errorf("%v is not %v", v, s.Const)
	}
	if text, ok := v.(string); ok && s.Enum != nil && !slices.Contains(s.Enum, text) {
		return fmt.Errorf("%q is none of %q", text, s.Enum)
	}
	switch v := v.(type) {
	case []any:
		if len(v) < s.MinItems || s.MaxItems > 0 && len(v) > s.MaxItems {
			return fmt.Errorf("%d elements", len(v))
		}
		for i, x := range v {
			if s.Items == nil {
				break
			}
			if err := s.Items.Check(root, x); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	case map[string]any:
		if err := s.checkKeys(root, v, known); err != nil {
			return err
		}
	}
	if s.Ref != "" {
		d := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if d == nil {
			return fmt.Errorf("no definition %s", s.Ref)
		}
		if err := d.check(root, v, known); err != nil {
			return err
		}
	}
	if s.AnyOf != nil {
		if n, err := countFits(s.AnyOf, root, v, known); n == 0 {
			return err
		}
	}
	if s.OneOf != nil {
		if n, err := countFits(s.OneOf, root, v, known); n == 0 {
			return err
		} else if n > 1 {
			return fmt.Errorf("it is %d kinds of objects at once", n)
		}
	}
	if object, ok := v.(map[string]any); ok && s.Unevaluated != nil && !*s.Unevaluated {
		for key := range object {
			if !known[key] {
				return fmt.Errorf("key %s is in no document", key)
			}
		}
	}
	return nil
}

// checkKeys checks the keys of an object.
func (s *schema) checkKeys(root *schema, v map[string]any, known map[string]bool) error {
	for _, key := range s.Required {
		if _, ok := v[key]; !ok {
			return fmt.Errorf("no key %s", key)
		}
	}
	for key, x := range v {
		p := s.Properties[key]
		if p == nil {
			if s.Additional != nil && !*s.Additional {
				return fmt.Errorf("key %s is in no document", key)
			}
			continue
		}
		known[key] = true
		if err := p.Check(root, x); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// countFits counts the schemas that a value follows, and adds the keys of the first to known. The error joins the errors
// of the others, without those that are about another command.
func countFits(list []*schema, root *schema, v any, known map[string]bool) (n int, err error) {
	for _, s := range list {
		own := map[string]bool{}
		e := s.check(root, v, own)
		if e != nil && !strings.HasPrefix(e.Error(), "command: ") {
			err = errors.Join(err, e)
		}
		if e != nil {
			continue
		}
		if n++; n == 1 {
			for key := range own {
				known[key] = true
			}
		}
	}
	if n == 0 && err == nil {
		err = errors.New("no command prints such an object")
	}
	return n, err
}

// Spoilt calls use with copies of a value, each with one difference: a key too many in an
// object, an object in the place of a number, text or list, or a list in that of an object. Of a list the first
// element alone is changed. Places below the keys that are free may hold anything.
func Spoilt(v any, free []string, use func(place string, spoilt any)) {
	switch v := v.(type) {
	case map[string]any:
		use("", []any{v})
		copied := func(key string, x any) map[string]any {
			out := map[string]any{key: x}
			for k, y := range v {
				if k != key {
					out[k] = y
				}
			}
			return out
		}
		use(".spoilt", copied("spoilt", 1.0))
		for key, x := range v {
			if slices.Contains(free, key) {
				continue
			}
			Spoilt(x, free, func(place string, spoilt any) { use("."+key+place, copied(key, spoilt)) })
		}
	case []any:
		use("", map[string]any{"spoilt": v})
		if len(v) > 0 {
			Spoilt(v[0], free, func(place string, spoilt any) {
				use("[0]"+place, append([]any{spoilt}, v[1:]...))
			})
		}
	default:
		use("", map[string]any{"spoilt": v})
	}
}

// types lists the types that a value may have.
func (s *schema) types() (list []string) {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		for _, name := range t {
			list = append(list, fmt.Sprint(name))
		}
	}
	return list
}

// isOf reports whether a value is of a type of JSON schemas.
func isOf(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case string:
		return name == "string"
	case []any:
		return name == "array"
	}
	return name == "object"
}
