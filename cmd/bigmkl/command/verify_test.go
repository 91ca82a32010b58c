package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/model"
	"bigmkl/tests/commandtest"
)

// Of several classifiers each is confirmed, and the one that is wrong is named.
func TestVerifySeveral(t *testing.T) {
	f := commandtest.NewFolder(t)
	lines := strings.SplitAfter(commandtest.Text(60, 3), "\n")
	for i, line := range lines {
		if _, features, ok := strings.Cut(line, " "); ok {
			lines[i] = fmt.Sprintf("%c %s", "abc"[i%3], features)
		}
	}
	data := f.File("train.txt", strings.Join(lines, ""))
	for _, kind := range model.Multiclasses {
		commandtest.Object(t, contract.ExitFine, "train", "--json", "--quiet", "--multiclass", kind, "-o", f.At("m"), data)
		together := "" // Some kinds have one certificate for all classifiers.
		if kind == model.SingleClassifier {
			together = " together"
		}
		if o := commandtest.Must(t, "verify", "--quiet", f.At("m"), data); !strings.HasPrefix(o.Stdout, "classifier ") || !strings.Contains(o.Stdout, "\n3 classifiers"+together+": ") || !strings.Contains(o.Stdout, "the model file agrees") {
			t.Errorf("%s: %s", kind, o.Stdout)
		}
		got := commandtest.Object(t, contract.ExitFine, "verify", "--json", f.At("m"), data)
		if list := got["machines"].([]any); len(list) != 3 || !slices.Equal(commandtest.Keys(list[0].(map[string]any)), []string{"dual", "faults", "machine", "primal", "relative_gap", "rows"}) {
			t.Errorf("%s: %v", kind, got)
		}
		m, err := model.Read(f.At("m"))
		if err != nil {
			t.Fatal(err)
		}
		m.Classifiers[1].Bias += 10
		if err := model.Write(context.Background(), f.At("wrong"), m); err != nil {
			t.Fatal(err)
		}
		o := commandtest.Try("verify", "--quiet", f.At("wrong"), data)
		blamed, classifiers := fmt.Sprintf("classifier %q", cmp.Or(map[string]string{model.OneVsOne: "a and c"}[kind], "b")), 1
		if kind == model.SingleClassifier { // The certificate covers all classes.
			blamed, classifiers = "all classifiers together", 0
		}
		if o.Code != contract.ExitCorrupt || !strings.Contains(o.Stderr, blamed+": the model claims a primal value") ||
			strings.Count(o.Stdout, "not its certificate") != classifiers {
			t.Errorf("%s: exit code %d\n%s%s", kind, o.Code, o.Stdout, o.Stderr)
		}
	}
}

// TestVerifySingle: one classifier for all classes has one gap, and no gap of each part of its sums.
func TestVerifySingle(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("several", commandtest.ThreeClasses(60))
	for kind, gaps := range map[string]bool{"single": false, "ovr": true} {
		commandtest.Must(t, "train", "--quiet", "--multiclass", kind, "-o", f.At(kind), data)
		o := commandtest.Must(t, "verify", f.At(kind), data)
		if strings.Contains(o.Stdout, "claimed") != gaps || strings.Contains(o.Stdout, "part of dual") == gaps {
			t.Errorf("%s: %s", kind, o.Stdout)
		}
	}
}
