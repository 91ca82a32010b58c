package hostile

import (
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestHostileProjections: projections that make no sense, by themselves or beside other options.
func TestHostileProjections(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data.txt", commandtest.Text(80, 1))
	good := "proj(gauss:0.1,2)"
	commandtest.Must(t, "train", "--quiet", "-o", f.At("plain"), "--kernels", "linear", data)
	commandtest.Must(t, "train", "--quiet", "-o", f.At("projected"), "--kernels", good, "--gate-steps", "1000", "--gate-tol", "0.1", data)
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"another kernel", []string{"--kernels", "proj(laplace:1,2)"}, contract.ExitUsage, `"proj(laplace:1,2)": there are projections of linear, polynomial and Gaussian kernels alone`},
		{"no kernel", []string{"--kernels", "proj(nothing,2)"}, contract.ExitUsage, `kernel "nothing norm=none": there is no kernel "nothing"`},
		{"a kernel without parameters", []string{"--kernels", "proj(gauss,2)"}, contract.ExitUsage, `kernel "gauss norm=none": the width is missing`},
		{"a width from the data", []string{"--kernels", "proj(gauss:auto,2)"}, contract.ExitUsage, `kernel "gauss:auto norm=none": there is no data`},
		{"a range", []string{"--kernels", "proj(gauss:1..4,2)"}, contract.ExitUsage, `"proj(gauss:1..4,2)": a projection is of one kernel`},
		{"no columns", []string{"--kernels", "proj(gauss:0.1)"}, contract.ExitUsage, `"proj(gauss:0.1)": a projection needs a kernel and a number of columns`},
		{"0 columns", []string{"--kernels", "proj(gauss:0.1,0)"}, contract.ExitUsage, `"proj(gauss:0.1,0)": "0" is no number of columns from 1`},
		{"columns that are no number", []string{"--kernels", "proj(gauss:0.1,two)"}, contract.ExitUsage, `"proj(gauss:0.1,two)": "two" is no number of columns from 1`},
		{"columns beyond any number", []string{"--kernels", "proj(gauss:0.1,99999999999999999999)"}, contract.ExitUsage, `"proj(gauss:0.1,99999999999999999"...: "99999999999999999999" is no number of columns from 1`},
		{"more columns than features", []string{"--kernels", "proj(gauss:0.1,31)"}, contract.ExitUsage, `"proj(gauss:0.1,31)": 31 columns of 30 features`},
		{"a linear diagonal", []string{"--kernels", "proj(linear,diag)"}, contract.ExitUsage, `"proj(linear,diag)": only Gaussian kernels learn scales`},
		{"an open bracket", []string{"--kernels", "proj(gauss:0.1,2"}, contract.ExitUsage, `"proj(gauss:0.1,2": a projection has nothing behind its bracket`},
		{"features behind it", []string{"--kernels", good + "@1-3"}, contract.ExitUsage, `"proj(gauss:0.1,2)@1-3": a projection has nothing behind its bracket`},
		{"features in it", []string{"--kernels", "proj(gauss:0.1@1-3,2)"}, contract.ExitUsage, `"proj(gauss:0.1@1-3,2)": a projection looks at all features`},
		{"a cost", []string{"--kernels", good + " cost=2"}, contract.ExitUsage, `"proj(gauss:0.1,2) cost=2": a projection has nothing behind its bracket`},
		{"in a product", []string{"--kernels", "prod(linear," + good + ")"}, contract.ExitUsage, `kernel "prod(linear,proj(gauss:0.1,2))": kernel "proj(gauss:0.1,2)": a projection is learned by a training`},
		{"several classifiers", []string{"--kernels", good, "--multiclass", "ovr"}, contract.ExitUsage, `"proj(gauss:0.1,2)" with several classifiers, each with a projection of its own`},
		{"one projection of one classifier", []string{"--kernels", good, "--one-gate"}, contract.ExitUsage, `one set for all classifiers, and there is one classifier`},
		{"one projection of no kernel", []string{"--kernels", "linear", "--multiclass", "ovr", "--one-gate"}, contract.ExitUsage, `one set for all classifiers, and nothing that several classifiers share`},
		{"one classifier for all classes", []string{"--kernels", good, "--multiclass", "single", "--one-gate"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with one classifier for all classes`},
		{"one set of weights", []string{"--kernels", good, "--multiclass", "ovr", "--one-theta", "--one-gate"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with one set of weights`},
		{"a linear one among others", []string{"--kernels", good + ",proj(linear,2)"}, contract.ExitUsage, `"proj(linear,2)" beside other kernels is the linear kernel itself`},
		{"a product beside it", []string{"--kernels", good + ",prod(linear,linear)"}, contract.ExitUsage, `kernel "prod(linear,linear)" beside a projection`},
		{"random features beside it", []string{"--kernels", good + ",linear@random:3"}, contract.ExitUsage, `kernel "linear@random:3" beside a projection`},
		{"features beyond those there are", []string{"--kernels", good + ",linear@31"}, contract.ExitUsage, `kernel "linear@31": feature 31, and the rows have 30 features`},
		{"gates that are given", []string{"--kernels", good, "--gating", "regions:2"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with gates that are given`},
		{"gates on components", []string{"--kernels", good, "--gating", "softmax", "--gate-on", "pca:2"}, contract.ExitUsage, `gates on "pca:2" beside a projection`},
		{"gates on projected features", []string{"--kernels", good, "--gating", "softmax", "--gate-on", "1-31"}, contract.ExitUsage, `gates on "1-31" beside a projection`},
		{"shared gates of one classifier", []string{"--kernels", "linear", "--gating", "softmax", "--one-gate"}, contract.ExitUsage, `one set for all classifiers, and there is one classifier`},
		{"shared gates of regions", []string{"--kernels", "linear", "--gating", "regions:2", "--multiclass", "ovr", "--one-gate"}, contract.ExitUsage, `one set for all classifiers, and nothing that several classifiers share`},
		{"another norm", []string{"--kernels", good, "--elastic-net", "0.5"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with another regulariser`},
		{"another solver", []string{"--kernels", good, "--solver", "wrapper"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with another solver`},
		{"a start", []string{"--kernels", good, "--init", f.At("plain")}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with a model to start from`},
		{"probabilities", []string{"--kernels", good, "--probability", "--shared-preparation"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with probabilities`},
		{"posteriors", []string{"--kernels", good, "--posteriors", "knn:3"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with posteriors`},
		{"a joint cost", []string{"--kernels", good, "-C", "joint", "--loss", "squared-hinge", "--norm", "1"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with a cost that is found`},
		{"normalisation", []string{"--kernels", good, "--normalize", "spherical"}, contract.ExitUsage, `"proj(gauss:0.1,2)" does not go with spherical normalisation`},
		{"a path", []string{"--kernels", good, "--path-C", "1,2", "-o", f.At("p%C")}, contract.ExitUsage, `kernel "proj(gauss:0.1,2)": a projection is learned by a training`},
		{"a stream", []string{"--kernels", good, "--stream", "--every", "40"}, contract.ExitUsage, `kernel "proj(gauss:0.1,2)": a projection is learned by a training`},
		{"a decay", []string{"--kernels", good, "--gate-decay", "1"}, contract.ExitUsage, "a decay or a floor of gates is given, but no gates that are learned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"train", "--quiet", "-o", f.At("new")}, c.args...)
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: append(args, data), Code: c.code, Want: c.want})
		})
	}
	wide := f.File("wide.txt", "1 1:1 900:2\n")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"a feature too many", []string{"predict", f.At("projected"), wide}, contract.ExitInput, wide + ":1: feature 900 is unknown"},
		{"projected rows of a plain model", []string{"predict", "--projection", f.At("out"), f.At("plain"), data}, contract.ExitUsage, f.At("plain") + ": --projection: the model has no projection"},
		{"projected rows over the data", []string{"predict", "--projection", data, f.At("projected"), data}, contract.ExitUsage, data + ": "},
		{"an export", []string{"export", "--to", "json", "-o", f.At("out"), f.At("projected")}, contract.ExitUsage, f.At("projected") + ": a model with projection"},
		{"matrices", []string{"gram", "--kernels", good, "-o", f.At("K.npy"), data}, contract.ExitUsage, `kernel "proj(gauss:0.1,2)": a projection is learned by a training`},
		{"a selection", []string{"select", "-o", f.At("s"), "--kernels", good, "--grid-C", "1", data}, contract.ExitUsage, `kernel "proj(gauss:0.1,2)": a projection is learned by a training`},
		{"the start of another", []string{"train", "--init", f.At("projected"), "-o", f.At("new"), "--kernels", "linear", data}, contract.ExitUsage, "the model to start from has a projection"},
		{"a continuation", []string{"train", "--continue", f.At("projected"), "-o", f.At("new"), data}, contract.ExitUsage, f.At("projected") + ": the support vectors of a model with a projection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: c.args, Code: c.code, Want: c.want})
		})
	}
}
