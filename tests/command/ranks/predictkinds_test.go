package ranks

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestPredictKindsOnRanks: ranks predict what one process does, to the byte, by every kind of model and every way
// in which points are stored. There are more panels of 32 rows than ranks. So the share of each rank but the first
// begins later.
func TestPredictKindsOnRanks(t *testing.T) {
	const seed, rows = 77, 170
	t.Logf("seed %d", seed)
	f, r := commandtest.NewFolder(t), rand.New(rand.NewPCG(seed, 1))
	two, three := numbers(r, rows, "-1", "1"), numbers(r, rows, "a", "b", "c")
	targets, sets, letters := numbers(r, rows, "0.5", "1.25", "-2", "3"), numbers(r, rows, "a", "b", "a,b", "c"), words(r, rows)
	quick := []string{"--gap", "0.1", "--kernels", "gauss:0.05,linear"}
	kinds := map[string]struct {
		text string
		args []string
	}{
		"two classes":   {two, quick},
		"probabilities": {two, append([]string{"--probability"}, quick...)},
		"ovr":           {three, append([]string{"--multiclass", "ovr"}, quick...)},
		"ovo":           {three, append([]string{"--multiclass", "ovo"}, quick...)},
		"single":        {three, append([]string{"--multiclass", "single"}, quick...)},
		"labels":        {sets, append([]string{"--multiclass", "labels"}, quick...)},
		"fixed gates":   {two, append([]string{"--gating", "regions:3"}, quick...)},
		"gates":         {two, append([]string{"--gating", "softmax", "--gate-tol", "0.2"}, quick...)},
		"landmarks":     {two, append([]string{"--gating", "softmax", "--gate-on", "kernel:gauss:0.1*40", "--gate-tol", "0.2"}, quick...)},
		"gates of each": {three, append([]string{"--gating", "sigmoid", "--gate-tol", "0.2", "--multiclass", "ovr"}, quick...)},
		"projection":    {two, []string{"--gap", "0.1", "--kernels", "proj(gauss:0.05,1)", "--norm", "2"}},
		"centred":       {two, []string{"--gap", "0.1", "--kernels", "gauss:0.05 norm=centred,linear norm=centred"}},
	}
	for _, task := range model.Tasks {
		text, args := two, append([]string{"--task", task}, quick...)
		switch {
		case task == model.TaskSVR || task == model.TaskSquare:
			text = targets
		case task == model.TaskMED:
			args = append(args, "--restarts", "1", "--rounds", "1", "-C", "1")
		case task == model.TaskMixture:
			args = append(args, "--restarts", "1")
		case task == model.TaskRKDA:
			text = three
		case task == model.TaskRank:
			text = numbers(r, rows, "0 qid:1", "1 qid:1", "2 qid:2", "0 qid:2")
		}
		kinds["task "+task] = struct {
			text string
			args []string
		}{text, args}
	}
	predict := func(name string, args []string) {
		args = append([]string{"predict", "--threads", "1", "--json"}, args...)
		alone := commandtest.Must(t, append(args, "-o", f.At("alone"))...)
		want := f.Read("alone")
		for _, size := range sizes(t, name) {
			for rank, o := range commandtest.TryRanks(size, func(int) []string { return append(slices.Clone(args), "-o", f.At("together")) }) {
				if o.Code != contract.ExitFine || rank > 0 && o.Stdout+o.Stderr != "" || rank == 0 && o.Stdout != alone.Stdout {
					t.Errorf("%s, %d ranks, rank %d: code %d\n%s%s", name, size, rank, o.Code, o.Stdout, o.Stderr)
				}
			}
			if got, err := os.ReadFile(f.At("together")); err != nil || string(got) != want {
				t.Errorf("%s: %d ranks predict other lines than one process: %v", name, size, err)
			}
		}
	}
	train := func(text string, args ...string) (model, data string) {
		model, data = f.At("model"), f.File("data.txt", text)
		commandtest.Must(t, slices.Concat([]string{"train", "--quiet", "-o", model}, args, []string{data})...)
		return model, data
	}
	for name, k := range kinds {
		for _, layout := range []string{"dense", "sparse"} {
			if !testlevel.Tried(t, name+", "+layout, 4, 2) {
				continue
			}
			m, data := train(k.text, append([]string{"--store", layout}, k.args...)...)
			args := []string{m, data}
			if strings.HasPrefix(name, "probabilities") {
				args = []string{"--probability", m, data}
			}
			predict(name+", "+layout, args)
		}
	}
	m, data := train(letters, "--sequences", "dna", "--kernels", "spectrum:2,wd:3", "--gap", "0.1")
	predict("letters", []string{m, data})
}

// numbers is text of n rows of eight features, half of them zero, with one of some labels each.
func numbers(r *rand.Rand, n int, labels ...string) string {
	var b strings.Builder
	for i := range n {
		k := i % len(labels)
		b.WriteString(labels[k])
		for j := range 8 {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, " %d:%.3f", j+1, r.NormFloat64()+float64(k*(j%3)))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// words is text of n sequences of ten letters, of two classes.
func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\t", i%2)
		for range 10 {
			b.WriteByte("ACGT"[min(3, r.IntN(3+i%2))])
		}
		b.WriteString("\n")
	}
	return b.String()
}
