package command

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/evaluate/score"
	"bigmkl/tests/commandtest"
)

// TestPath: a model for each point under its own name, each confirmed, and a score for each.
func TestPath(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, test := f.File("train.txt", commandtest.Text(120, 1)), f.File("test.txt", commandtest.Text(60, 2))
	args := []string{"train", "--quiet", "--kernels", "gauss:0.05,linear", "--path-norm", "1,4/3,inf", "--path-C", "0.1..10/3", "--test", test, "-o", f.At("m-%p-%C"), data}
	j := commandtest.Object(t, contract.ExitFine, append(args, "--json")...)
	models := j["models"].([]any)
	if len(models) != 9 {
		t.Fatalf("%d models", len(models))
	}
	for i, name := range []string{"m-1-0.1", "m-1-1", "m-1-10", "m-4_3-0.1", "m-4_3-1", "m-4_3-10", "m-inf-0.1", "m-inf-1", "m-inf-10"} {
		m := models[i].(map[string]any)
		if m["file"] != f.At(name) || m["status"] != "converged" || m["test"].(map[string]any)["n"] != 60.0 {
			t.Errorf("%d: %v", i, m)
		}
		commandtest.Must(t, "verify", "--quiet", f.At(name), data)
	}
	o := commandtest.Must(t, args...)
	best, file := 0.0, ""
	for _, m := range models {
		m := m.(map[string]any)
		if a := m["test"].(map[string]any)["accuracy"].(float64); a > best {
			best, file = a, m["file"].(string)
		}
	}
	if want := fmt.Sprintf("\nbest on %s: %s, accuracy %.4f (", test, file, best); j["best"] != file || !strings.Contains(o.Stdout, want) {
		t.Errorf("best is %v, want %q in\n%s", j["best"], want, o.Stdout)
	}
	if strings.Count(o.Stdout, "\n") != 10 || !strings.Contains(o.Stdout, f.At("m-inf-0.1")+": p = inf, C = 0.1, converged after ") {
		t.Error(o.Stdout)
	}
	commandtest.Must(t, "train", "--quiet", "--kernels", "linear", "--path-C", "1,2", "--init", f.At("m-1-1"), "-o", f.At("c%C"), data)
	if !f.Exists("c1") || !f.Exists("c2") {
		t.Error("no models by cost alone")
	}
	if o := commandtest.Try("train", "--quiet", "--kernels", "gauss:0.05,linear", "--path-C", "1,2", "--max-iter", "1", "--gap", "1e-6", "-o", f.At("c%C"), data); o.Code != contract.ExitStopped || !strings.Contains(o.Stderr, "2 of 2 models are written with a larger gap") {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
}

// TestPathOfOthers: paths of regression, of one class and of norms without p, whose names have the equivalent p.
func TestPathOfOthers(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, weights := f.File("train.txt", commandtest.Text(120, 1)), f.File("weights.txt", "1 2")
	for _, c := range []struct{ args, models string }{
		{"--task svr --path-C 0.5,2 --norm 1", "m-1-0.5 m-1-2"},
		{"--task square --path-C 1,4 --path-norm 4/3,2 --group-norm 2", "m-4_3-1 m-4_3-4 m-2-4 m-2-1"},
		{"--task oneclass --path-norm 1,inf --nu 0.2", "m-1-1 m-inf-1"},
		{"--path-C 1,2 --weights " + weights, "m-2-1 m-2-2"},
		{"--path-C 1,2 --elastic-net 0.5", "m-1-1 m-1-2"},
		{"--path-C 1,2", "m-4_3-1 m-4_3-2"},
	} {
		kernels := "gauss:0.05,linear"
		if strings.Contains(c.args, "group-norm") {
			kernels = "gauss:0.05 group=a,linear group=b"
		}
		o := commandtest.Must(t, append(strings.Fields("train --quiet "+c.args), "--kernels", kernels, "-o", f.At("m-%p-%C"), data)...)
		for _, name := range strings.Fields(c.models) {
			if !strings.Contains(o.Stdout, f.At(name)+": ") {
				t.Errorf("%s: no model %s:\n%s", c.args, name, o.Stdout)
				continue
			}
			commandtest.Must(t, "verify", "--quiet", f.At(name), data)
		}
	}
}

// TestPathInterrupted: the model in hand is written, and no other.
func TestPathInterrupted(t *testing.T) {
	f := commandtest.NewFolder(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := commandtest.Run(ctx, strings.NewReader(""), &stdout, &cancelling{&stderr, cancel},
		"train", "--kernels", "gauss:0.05,linear", "--gap", "1e-6", "--path-C", "1,2,3", "-o", f.At("c%C"), f.File("train.txt", commandtest.Text(300, 1)))
	if code != contract.ExitInterrupted || !f.Exists("c1") || f.Exists("c2") || !strings.Contains(stderr.String(), "interrupted after 1 of 3 models") {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
}

// cancelling ends the run at the first line about an iteration.
type cancelling struct {
	to     *bytes.Buffer
	cancel func()
}

func (c *cancelling) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("step ")) {
		c.cancel()
	}
	return c.to.Write(b)
}

// TestBestModel: the largest accuracy and the smallest error are best, the first of equals, and what is not defined is not.
func TestBestModel(t *testing.T) {
	list := func(key string, values ...float64) (list []trainJSON) {
		for i, v := range values {
			e := evaluation{Evaluation: score.Evaluation{Figures: []score.Figure{{Key: "n", Value: 9}, {Key: key, Value: v}}}}
			list = append(list, trainJSON{File: fmt.Sprint(i), Test: &e})
		}
		return list
	}
	for _, c := range []struct {
		reports []trainJSON
		want    string
	}{
		{list("accuracy", 0.1, 0.9, 0.9, 0.5), "1"}, {list("rmse", 0.9, 0.1, 0.1, 0.5), "1"}, {list("rmse", math.NaN(), 3, 2, math.Inf(-1)), "2"}, {list("within", 1, 2), ""}, {[]trainJSON{{File: "a"}}, ""}, {nil, ""},
		{list("accuracy", 0, 0), "0"},
	} {
		if got, figure := bestModel(c.reports); got != c.want {
			t.Errorf("%q of %v, want %q", got, figure, c.want)
		}
	}
}

// TestPathWarnsByModel: the weight at the border of a list is said of each model by its name, and of a single model without.
func TestPathWarnsByModel(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(80, 1))
	args := []string{"train", "--quiet", "--kernels", "gauss:1e-6..0.02/3", "--gap", "0.01"}
	o := commandtest.Must(t, append(args, "--path-norm", "1,1.125", "-o", f.At("m-%p"), data)...)
	for _, name := range []string{"m-1", "m-9_8"} {
		if strings.Count(o.Stderr, "warning: "+f.At(name)+": the largest V of its list") != 1 {
			t.Errorf("no warning about %s:\n%s", name, o.Stderr)
		}
	}
	if o := commandtest.Must(t, append(args, "--norm", "1", "-o", f.At("m"), data)...); !strings.Contains(o.Stderr, "warning: the largest V") {
		t.Errorf("a single model: %s", o.Stderr)
	}
}
