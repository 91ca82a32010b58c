package commandtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
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
	Const       *float64           `json:"const"`
	Ref         string             `json:"$ref"`
	AnyOf       []*schema          `json:"anyOf"`
	Items       *schema            `json:"items"`
	MinItems    int                `json:"minItems"`
	MaxItems    int                `json:"maxItems"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
	Defs        map[string]*schema `json:"$defs"`
}

// ContractSchema is read once.
var ContractSchema = sync.OnceValues(func() (*schema, error) {
	b, err := os.ReadFile("../../../docs/output.schema.json")
	if err != nil {
		return nil, err
	}
	s := &schema{}
	return s, json.Unmarshal(b, s)
})

// definitionOf is the definition that the object of a command follows.
func definitionOf(object map[string]any) string {
	switch command := object["command"]; {
	case command == "predict":
		return "evaluation"
	case command == "serve" && object["message"] != nil:
		return "serve_error"
	case command == "train" && object["models"] != nil:
		return "path"
	default:
		return fmt.Sprint(command)
	}
}

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
	own := maps.Clone(object)
	delete(own, "contract")
	delete(own, "command")
	name := definitionOf(object)
	d := root.Defs[name]
	if d == nil {
		t.Fatalf("no definition %s", name)
	}
	if err := d.Check(root, own); err != nil {
		t.Errorf("--json of %s: %v", name, err)
	}
}

// Check says where a value differs from the schema.
func (s *schema) Check(root *schema, v any) error {
	if s.Ref != "" {
		d := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if d == nil {
			return fmt.Errorf("no definition %s", s.Ref)
		}
		return d.Check(root, v)
	}
	if s.AnyOf != nil {
		var first error
		for _, a := range s.AnyOf {
			err := a.Check(root, v)
			if err == nil {
				return nil
			}
			if first == nil {
				first = err
			}
		}
		return first
	}
	if types := s.types(); types != nil && !slices.ContainsFunc(types, func(name string) bool { return isOf(name, v) }) {
		return fmt.Errorf("%.80q is no %s", fmt.Sprint(v), strings.Join(types, " or "))
	}
	if s.Const != nil && v != *s.Const {
		return fmt.Errorf("%v is not %v", v, *s.Const)
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
			if err := s.Items.Check(root, x); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	case map[string]any:
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
			if err := p.Check(root, x); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return nil
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
