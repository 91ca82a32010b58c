package command

import (
	"encoding/json"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/model"
)

// TestUnknownFamily: a model of a family that no command knows is refused by all of them, in one line that names the family.
func TestUnknownFamily(t *testing.T) {
	f, data, _, path := trained(t)
	m, err := model.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	m.Family = &model.Family{Name: "regions", Settings: json.RawMessage("{}"), Arrays: map[string][]float64{"centres": {1, 2}}}
	foreign := f.at("foreign")
	if err := model.Write(t.Context(), foreign, m); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"inspect", foreign}, {"bound", foreign}, {"export", "--to", "json", "-o", f.at("out"), foreign}, {"config", "--of", foreign}, {"predict", foreign, data, "-o", f.at("out")}, {"verify", foreign, data}, {"verify", foreign, data, "--sample", "5"},
		{"train", "--quiet", "-o", f.at("new"), "--init", foreign, data},
	} {
		check(t, f, fault{strings.Join(args, " "), args, contract.ExitCorrupt, foreign + `: a model of the family "regions", which this reader does not know`})
	}
}
