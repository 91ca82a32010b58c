package command

import (
	"encoding/json"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/model"
	"bigmkl/tests/commandtest"
)

// TestUnknownFamily: a model of an unknown family is rejected by all commands, in one line that names the family.
func TestUnknownFamily(t *testing.T) {
	f, data, _, path := commandtest.Trained(t)
	m, err := model.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	m.Family = &model.Family{Name: "regions", Settings: json.RawMessage("{}"), Arrays: map[string][]float64{"centres": {1, 2}}}
	foreign := f.At("foreign")
	if err := model.Write(t.Context(), foreign, m); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"inspect", foreign}, {"bound", foreign}, {"export", "--to", "json", "-o", f.At("out"), foreign}, {"config", "--of", foreign}, {"predict", foreign, data, "-o", f.At("out")}, {"verify", foreign, data}, {"verify", foreign, data, "--sample", "5"},
		{"train", "--quiet", "-o", f.At("new"), "--init", foreign, data},
	} {
		commandtest.Check(t, f, commandtest.Fault{Name: strings.Join(args, " "), Args: args, Code: contract.ExitCorrupt, Want: foreign + `: a model of the family "regions", which this reader does not know`})
	}
}
