package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/model"
)

// Of several machines each is confirmed, and the one that is wrong is named.
func TestVerifySeveral(t *testing.T) {
	f := newFolder(t)
	lines := strings.SplitAfter(text(60, 3), "\n")
	for i, line := range lines {
		if _, features, ok := strings.Cut(line, " "); ok {
			lines[i] = fmt.Sprintf("%c %s", "abc"[i%3], features)
		}
	}
	data := f.file("train.txt", strings.Join(lines, ""))
	for _, kind := range model.Multiclasses {
		object(t, contract.ExitFine, "train", "--json", "--quiet", "--multiclass", kind, "-o", f.at("m"), data)
		together := "" // Some kinds have one certificate for all machines.
		if kind == model.SingleMachine {
			together = " together"
		}
		if o := must(t, "verify", "--quiet", f.at("m"), data); !strings.HasPrefix(o.stdout, "machine ") || !strings.Contains(o.stdout, "\n3 machines"+together+": ") || !strings.Contains(o.stdout, "what it claims") {
			t.Errorf("%s: %s", kind, o.stdout)
		}
		got := object(t, contract.ExitFine, "verify", "--json", f.at("m"), data)
		if list := got["machines"].([]any); len(list) != 3 || !slices.Equal(keys(list[0].(map[string]any)), []string{"dual", "faults", "machine", "primal", "relative_gap", "rows"}) {
			t.Errorf("%s: %v", kind, got)
		}
		m, err := model.Read(f.at("m"))
		if err != nil {
			t.Fatal(err)
		}
		m.Machines[1].Bias += 10
		if err := model.Write(context.Background(), f.at("wrong"), m); err != nil {
			t.Fatal(err)
		}
		o := try("verify", "--quiet", f.at("wrong"), data)
		blamed, machines := fmt.Sprintf("machine %q", cmp.Or(map[string]string{model.OneVsOne: "a and c"}[kind], "b")), 1
		if kind == model.SingleMachine { // The certificate is that of all classes.
			blamed, machines = "all machines together", 0
		}
		if o.code != contract.ExitCorrupt || !strings.Contains(o.stderr, blamed+": the model claims a primal value") ||
			strings.Count(o.stdout, "not its certificate") != machines {
			t.Errorf("%s: exit code %d\n%s%s", kind, o.code, o.stdout, o.stderr)
		}
	}
}
