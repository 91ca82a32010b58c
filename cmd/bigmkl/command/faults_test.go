package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"strings"
	"testing"
)

// fault is a command line that must fail in one way.
type fault struct {
	name string
	args []string
	code int
	want string // what the line on standard error starts with, after "bigmkl: "
}

// TestBadInput: one clear line with the place, the right exit code, and nothing left behind. Bad rows, matrices, models and files
// are in hostile_*_test.go.
func TestBadInput(t *testing.T) {
	f, _, test, path := trained(t)
	data := f.file("data.txt", text(20, 1))
	train := func(more ...string) []string {
		return append([]string{"train", "--quiet", "-o", f.at("new"), data}, more...)
	}
	lines := func(args ...string) []string { return args }
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown view", lines("--kernels", "linear@nowhere"), contract.ExitUsage, ""},
		{"unknown normaliser", lines("--kernels", "linear norm=l2"), contract.ExitUsage, "kernel \"linear norm=l2\": norm=: "},
		{"a user's kernel", lines("--kernels", "user:k"), contract.ExitUsage, "there is no code of the kernel user:k here"},
		{"range in a product", lines("--kernels", "prod(gauss:1..2,linear)"), contract.ExitUsage, "kernel \"prod(gauss:1..2,linear)\": \"gauss:1..2\" stands for 2 kernels, and a factor is one: list the products"},
		{"views in a product", lines("--kernels", "prod(linear@each-feature,linear)"), contract.ExitUsage, "kernel \"prod(linear@each-feature,linear)\": \"linear@each-feature\" stands for kernels over several sets"},
		{"open product", lines("--kernels", "prod(linear,poly:2"), contract.ExitUsage, "kernel \"prod(linear,poly:2\": write prod(A,B,..)"},
		{"spherical matrix", lines("--kernels", "precomputed:"+data+" norm=spherical"), contract.ExitUsage, "kernel 1 (precomputed:"},
		{"feature that is not there", lines("--kernels", "linear@100-101"), contract.ExitUsage, ""},
		{"label that never occurs", lines("--positive", "7"), contract.ExitInput, ""},
		{"class that is not there", lines("--class-weight", "7=2"), contract.ExitUsage, ""},
		{"no memory", lines("--memory", "1"), contract.ExitBudget, ""},
		{"views", lines("--views", f.file("v1", "a 1 2\nb 3\n")), contract.ExitInput, f.at("v1") + ":2: "},
		{"views backwards", lines("--views", f.file("v2", "a 5 2\n")), contract.ExitInput, f.at("v2") + ":1: "},
		{"kernel file", lines("--kernels", "@"+f.file("k1", "# bank\nlinear\nnonsense:1\n")), contract.ExitUsage, f.at("k1") + ":3: "},
		{"several machines of a class that is not there", lines("--multiclass", "labels", "--class-weight", "7=2"), contract.ExitUsage, "class weight for \"7\", which is none of the 2 classes"},
		{"several machines of one class", []string{"--multiclass", "ovr", "--limit", "1"}, contract.ExitInput, data + ": only one class"},
		{"too few weights", lines("--row-weights", f.file("w1", "1\n2\n")), contract.ExitInput, f.at("w1")},
		{"no folder for the model", lines("-o", f.at("absent/new")), contract.ExitInput, f.at("absent/new") + ": cannot write"},
		{"folder as the model", lines("-o", f.path), contract.ExitInput, f.path + ": cannot write"},
		{"no folder for scratch files", lines("--scratch", f.at("absent")), contract.ExitUsage, f.at("absent") + ": "},
		{"model over the data", lines("-o", data), contract.ExitUsage, data + ": "},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, fault{c.name, train(c.args...), c.code, c.want}) })
	}
	bare := f.file("bare", "1:1\n2:1\n")
	check(t, f, fault{"several machines of no label", lines("train", "--quiet", "--multiclass", "labels", "-o", f.at("new"), bare), contract.ExitInput, bare + ": no row has a label"})
	check(t, f, fault{"predictions over the model", lines("predict", path, test, "-o", path), contract.ExitUsage, path + ": "})
}

// check runs the command line and looks at its one line.
func check(t *testing.T, f folder, c fault) {
	t.Helper()
	before := list(t, f.path)
	o := try(c.args...)
	if o.code != c.code {
		t.Errorf("exit code %d, want %d: %s", o.code, c.code, o.stderr)
	}
	if !strings.HasPrefix(o.stderr, "bigmkl: "+c.want) || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("standard error %q, want a line that starts with %q", o.stderr, "bigmkl: "+c.want)
	}
	if o.stdout != "" {
		t.Errorf("standard output %q", o.stdout)
	}
	if after := list(t, f.path); len(after) != len(before) {
		t.Errorf("files before %q, after %q", before, after)
	}
}

func TestUsage(t *testing.T) {
	f, data, test, path := trained(t)
	several := f.at("several")
	must(t, "train", "--quiet", "--multiclass", "ovr", "--kernels", "linear", "-o", several, f.file("classes", threeClasses(30)))
	for _, c := range []fault{
		{"no command", nil, contract.ExitUsage, "no command is given"},
		{"unknown command", []string{"tran"}, contract.ExitUsage, "unknown command"},
		{"unknown flag", []string{"train", "--zap"}, contract.ExitUsage, "unknown flag: --zap"},
		{"flag without value", []string{"train", "--norm"}, contract.ExitUsage, "flag needs an argument: --norm"},
		{"no model", []string{"train", data}, contract.ExitUsage, "no model file is named"},
		{"no data", []string{"train", "-o", f.at("new")}, contract.ExitUsage, "no data file is named"},
		{"both norms", []string{"train", "-o", f.at("new"), data, "--norm", "1", "--theta-norm", "1"}, contract.ExitUsage, "--norm and --theta-norm cannot be combined"},
		{"C of 0", []string{"train", "-o", f.at("new"), data, "-C", "0"}, contract.ExitUsage, "-C: 0 is not a positive number"},
		{"negative C", []string{"train", "-o", f.at("new"), data, "-C", "-1"}, contract.ExitUsage, "-C: -1 is not"},
		{"C no number", []string{"train", "-o", f.at("new"), data, "-C", "NaN"}, contract.ExitUsage, "-C: "},
		{"p below 1", []string{"train", "-o", f.at("new"), data, "--norm", "0.5"}, contract.ExitUsage, "--norm: p = 0.5 is not in [1, inf]"},
		{"q below 1", []string{"train", "-o", f.at("new"), data, "--theta-norm", "1/2"}, contract.ExitUsage, "--theta-norm: q = 1/2 is not in [1, inf]"},
		{"gap", []string{"train", "-o", f.at("new"), data, "--gap", "1"}, contract.ExitUsage, "--gap: "},
		{"gap of 0", []string{"train", "-o", f.at("new"), data, "--gap", "0"}, contract.ExitUsage, "--gap: "},
		{"kernel", []string{"train", "-o", f.at("new"), data, "--kernels", "gaus:1"}, contract.ExitUsage, `kernel "gaus:1"`},
		{"task", []string{"train", "-o", f.at("new"), data, "--task", "regression"}, contract.ExitUsage, "--task: "},
		{"cache", []string{"train", "-o", f.at("new"), data, "--cache", "maybe"}, contract.ExitUsage, "--cache: "},
		{"memory", []string{"train", "-o", f.at("new"), data, "--memory", "much"}, contract.ExitUsage, "--memory: "},
		{"limit", []string{"train", "-o", f.at("new"), data, "--limit", "-3"}, contract.ExitUsage, "--limit: "},
		{"store", []string{"train", "-o", f.at("new"), data, "--store", "csr"}, contract.ExitUsage, "--store: unknown store"},
		{"class weight", []string{"train", "-o", f.at("new"), data, "--class-weight", "1=0"}, contract.ExitUsage, "--class-weight: "},
		{"model and JSON", []string{"train", "-o", "-", data, "--json"}, contract.ExitUsage, "--json and the model"},
		{"matrix without test", []string{"train", "-o", f.at("new"), data, "--gram-test", "K.npy"}, contract.ExitUsage, "--gram-test"},
		{"solver", []string{"train", "-o", f.at("new"), data, "--solver", "simplex"}, contract.ExitUsage, "--solver: "},
		{"cutting planes above 2", []string{"train", "-o", f.at("new"), data, "--solver", "cpm", "--norm", "3"}, contract.ExitUsage, "p = 3 with solver cpm"},
		{"cutting planes of a net", []string{"train", "-o", f.at("new"), data, "--solver", "cpm", "--elastic-net", "0.5"}, contract.ExitUsage, "solver cpm is for the block norm"},
		{"wrapper with checkpoints", []string{"train", "-o", f.at("new"), data, "--solver", "wrapper", "--checkpoint", f.at("kept")}, contract.ExitUsage, "checkpoints hold the state of solver chunking"},
		{"plan of a wrapper", []string{"plan", data, "--solver", "wrapper"}, contract.ExitUsage, "plan cannot predict how long --solver wrapper takes"},
		{"predict alone", []string{"predict"}, contract.ExitUsage, "no model and no data"},
		{"predict nothing", []string{"predict", path}, contract.ExitUsage, "no data"},
		{"lines and JSON", []string{"predict", path, test, "--json", "-o", "-"}, contract.ExitUsage, "--json and the predictions"},
		{"verify nothing", []string{"verify", path}, contract.ExitUsage, "no data"},
		{"inspect two", []string{"inspect", path, path}, contract.ExitUsage, "inspect takes one model, not 2"},
		{"gram without file", []string{"gram", data}, contract.ExitUsage, "no output file is named"},
		{"gram in halves", []string{"gram", data, "-o", f.at("new"), "--precision", "16"}, contract.ExitUsage, "--precision: "},
		{"path in one file", []string{"train", "-o", f.at("new"), data, "--path-C", "1,2"}, contract.ExitUsage, "two models of the path would be written to the file"},
		{"path of names too short", []string{"train", "-o", f.at("new") + "%C", data, "--path-C", "1,1.00000001"}, contract.ExitUsage, "two models of the path would be written to the file"},
		{"path and C", []string{"train", "-o", f.at("new") + "%C", data, "--path-C", "1,2", "-C", "3"}, contract.ExitUsage, "--path-C cannot be combined with -C"},
		{"path and norm", []string{"train", "-o", f.at("new") + "%p", data, "--path-norm", "1,2", "--theta-norm", "2"}, contract.ExitUsage, "--path-norm cannot be combined with --norm or --theta-norm"},
		{"path and elastic net", []string{"train", "-o", f.at("new") + "%p", data, "--path-norm", "1,2", "--elastic-net", "0.5"}, contract.ExitUsage, "--path-norm cannot be combined with --elastic-net"},
		{"path and fixed weights", []string{"train", "-o", f.at("new") + "%p", data, "--path-norm", "1,2", "--weights", f.at("w")}, contract.ExitUsage, "--path-norm cannot be combined with --weights"},
		{"path and interactions", []string{"train", "-o", f.at("new") + "%p", data, "--path-norm", "1,2", "--norm-laplacian", "g:1"}, contract.ExitUsage, "--path-norm cannot be combined with --norm-laplacian"},
		{"path and sum", []string{"train", "-o", f.at("new") + "%p", data, "--path-norm", "1,2", "--norm", "sum"}, contract.ExitUsage, "--path-norm cannot be combined with --norm or --theta-norm"},
		{"path of one class", []string{"train", "-o", f.at("new") + "%C", data, "--path-C", "1,2", "--task", "oneclass"}, contract.ExitUsage, "--path-C cannot be combined with --task oneclass"},
		{"path of a wrapper", []string{"train", "-o", f.at("new") + "%C", data, "--path-C", "1,2", "--solver", "wrapper"}, contract.ExitUsage, "a path is trained by the chunking solver alone"},
		{"path of checkpoints", []string{"train", "-o", f.at("new") + "%C", data, "--path-C", "1,2", "--checkpoint", f.at("c")}, contract.ExitUsage, "a path has no checkpoints"},
		{"path and weights", []string{"train", "-o", f.at("new") + "%C", data, "--path-C", "1,2", "--theta-out", f.at("new")}, contract.ExitUsage, "--theta-out holds the weights of one model"},
		{"cost of 0", []string{"train", "-o", f.at("new"), data, "--kernels", "linear cost=0"}, contract.ExitUsage, `kernel "linear cost=0": cost=: `},
		{"negative cost", []string{"plan", data, "--kernels", "linear cost=-1,gauss:1"}, contract.ExitUsage, `kernel "linear cost=-1": cost=: `},
		{"infinite cost", []string{"train", "-o", f.at("new"), data, "--kernels", "linear cost=inf"}, contract.ExitUsage, `kernel "linear cost=inf": cost=: `},
		{"cost no number", []string{"train", "-o", f.at("new"), data, "--kernels", "linear cost="}, contract.ExitUsage, `kernel "linear cost=": cost=: `},
		{"cost out of range", []string{"train", "--quiet", "-o", f.at("new"), data, "--kernels", "linear cost=1e-200"}, contract.ExitUsage, `kernel "linear cost=1e-200": an importance of +Inf`},
		{"cost and fixed weights", []string{"train", "--quiet", "-o", f.at("new"), data, "--kernels", "linear cost=1,gauss:1", "--weights", f.file("two", "1 1")}, contract.ExitUsage, "prior= and cost= beside fixed weights"},
		{"power of costs below 0", []string{"train", "-o", f.at("new"), data, "--kernels", "linear cost=2", "--cost-power", "-1"}, contract.ExitUsage, "--cost-power: -1 is not a number from 0"},
		{"power without costs", []string{"train", "--quiet", "-o", f.at("new"), data, "--kernels", "linear,gauss:1", "--cost-power", "0"}, contract.ExitUsage, "a power of costs, and no kernel has a cost"},
		{"path of costs without costs", []string{"train", "--quiet", "-o", f.at("new") + "%G", data, "--kernels", "linear,gauss:1", "--path-cost", "0,1"}, contract.ExitUsage, "a power of costs, and no kernel has a cost"},
		{"path of costs and power", []string{"train", "-o", f.at("new") + "%G", data, "--kernels", "linear cost=2", "--path-cost", "0,1", "--cost-power", "1"}, contract.ExitUsage, "--path-cost cannot be combined with --cost-power"},
		{"path of costs and weights", []string{"train", "-o", f.at("new") + "%G", data, "--path-cost", "0,1", "--weights", f.at("w")}, contract.ExitUsage, "--path-cost cannot be combined with --weights"},
		{"path of costs in one file", []string{"train", "-o", f.at("new"), data, "--kernels", "linear cost=2", "--path-cost", "0,1"}, contract.ExitUsage, "two models of the path would be written to the file"},
		{"path of falling costs", []string{"train", "-o", f.at("new") + "%G", data, "--kernels", "linear cost=2", "--path-cost", "1..0/3"}, contract.ExitUsage, "--path-cost: "},
		{"path of endless costs", []string{"train", "-o", f.at("new") + "%G", data, "--kernels", "linear cost=2", "--path-cost", "0..1/1000000000"}, contract.ExitUsage, "--path-cost: "},
		{"path of infinite costs", []string{"train", "-o", f.at("new") + "%G", data, "--kernels", "linear cost=2", "--path-cost", "inf"}, contract.ExitUsage, "--path-cost: "},
		{"charges of another number", []string{"inspect", path, "--charge", "1,2,3"}, contract.ExitUsage, "--charge has 3 costs, and the model 2 kernels"},
		{"charge of 0", []string{"inspect", path, "--charge", "0,1"}, contract.ExitUsage, "--charge: "},
		{"charges of nothing", []string{"inspect", path, "--charge", ""}, contract.ExitUsage, "--charge: "},
		{"nearest neighbours of another kernel", []string{"train", "-o", f.at("new"), data, "--kernels", "laplace:nn"}, contract.ExitUsage, `kernel "laplace:nn": widths around the distance of nearest neighbours are for gauss`},
		{"unknown rule", []string{"train", "-o", f.at("new"), data, "--weights", "rule:mean"}, contract.ExitUsage, `there is no rule "mean" for weights`},
		{"rule of no name", []string{"train", "-o", f.at("new"), data, "--weights", "rule:"}, contract.ExitUsage, `there is no rule "" for weights`},
		{"rule without its parameter", []string{"plan", data, "--weights", "rule:kandola"}, contract.ExitUsage, `the rule "kandola" with the wrong number of parameters`},
		{"rule of no number", []string{"train", "-o", f.at("new"), data, "--weights", "rule:accuracy:0x1"}, contract.ExitUsage, `the parameter of the rule "accuracy:0x1"`},
		{"rule without labels", []string{"train", "--quiet", "-o", f.at("new"), data, "--task", "oneclass", "--weights", "rule:align"}, contract.ExitUsage, "the rule align needs labels, and task oneclass has none"},
		{"rule of classes for numbers", []string{"train", "--quiet", "-o", f.at("new"), data, "--task", "svr", "--weights", "rule:fsm"}, contract.ExitUsage, "the rule fsm is for classes"},
		{"rule of numbers for classes", []string{"train", "--quiet", "-o", f.at("new"), data, "--weights", "rule:mse"}, contract.ExitUsage, "the rule mse is for numbers"},
		{"rule whose weights vanish", []string{"train", "--quiet", "-o", f.at("new"), data, "--kernels", "linear,gauss:1", "--weights", "rule:accuracy:1"}, contract.ExitInput, data + ": the rule accuracy:1 gives no kernel a weight above 0"},
		{"rule and norm", []string{"train", "-o", f.at("new"), data, "--norm", "1", "--weights", "rule:align"}, contract.ExitUsage, "--norm has no effect with --weights"},
		{"rule and costs", []string{"train", "--quiet", "-o", f.at("new"), data, "--kernels", "linear cost=2,gauss:1", "--weights", "rule:align"}, contract.ExitUsage, "prior= and cost= beside the weights of a rule"},
		{"rule from three rows", []string{"train", "-o", f.at("new"), data, "--weights", "rule:align", "--rule-sample", "3"}, contract.ExitUsage, "a rule from a sample of 3 rows"},
		{"sample of no rule", []string{"train", "-o", f.at("new"), data, "--rule-sample", "30"}, contract.ExitUsage, "--rule-sample has no effect without a rule"},
		{"rule of a selection", []string{"select", "--quiet", "-o", f.at("new"), data, "--kernels", "linear,gauss:1", "--weights", "rule:align"}, contract.ExitUsage, "the rule align looks at the labels of all rows"},
		{"rule of a path by folds", []string{"train", "--quiet", "-o", f.at("new") + "%C", data, "--kernels", "linear,gauss:1", "--weights", "rule:accuracy:0", "--path-C", "1,2"}, contract.ExitUsage, "the rule accuracy:0 trains at one C"},
		{"aligned by folds", []string{"align", data, "--rule", "accuracy:0.5"}, contract.ExitUsage, "the rule accuracy:0.5 looks at what machines predict"},
		{"aligned by no rule", []string{"align", data, "--rule", "best"}, contract.ExitUsage, `there is no rule "best" for weights`},
		{"weights of no rule", []string{"align", data, "--weights-out", f.at("new")}, contract.ExitUsage, "--weights-out has no effect without --rule"},
		{"weights to nowhere", []string{"align", data, "--rule", "align", "--weights-out", "-"}, contract.ExitUsage, "--weights-out cannot go to standard output"},
		{"three classes apart", []string{"align", "--quiet", f.file("three", threeClasses(30)), "--kernels", "linear", "--rule", "fsm"}, contract.ExitUsage, "the rule fsm is for two classes"},
		{"pair of one object", []string{"train", "-o", f.at("new"), data, "--kernels", "pair(linear,1-2)"}, contract.ExitUsage, `kernel "pair(linear,1-2)": write pair(KERNEL,SET,SET)`},
		{"pair of objects that differ", []string{"train", "--quiet", "-o", f.at("new"), data, "--kernels", "pair(linear,1-2,3)"}, contract.ExitUsage, `kernel "pair(linear,1-2,3)": the objects of a pair have 2 and 1 features`},
		{"pair of any width", []string{"train", "-o", f.at("new"), data, "--kernels", "pair(gauss:auto,1,2)"}, contract.ExitUsage, `kernel "pair(gauss:auto,1,2)": "gauss:auto" is not one kernel`},
		{"pair of another kernel", []string{"train", "-o", f.at("new"), data, "--kernels", "pair(hist,1,2)"}, contract.ExitUsage, `kernel "pair(hist,1,2)": "hist" is no kernel of pairs`},
		{"pair that stays open", []string{"train", "-o", f.at("new"), data, "--kernels", "pair(linear,1,2"}, contract.ExitUsage, `kernel "pair(linear,1,2": write pair(KERNEL,SET,SET)`},
		{"pair beyond the features", []string{"train", "--quiet", "-o", f.at("new"), data, "--kernels", "pair(linear,1,9999)"}, contract.ExitUsage, `kernel "pair(linear,1,9999)": features "9999" are not within`},
		{"pair as a factor", []string{"train", "-o", f.at("new"), data, "--kernels", "prod(pair(linear,1,2),linear)"}, contract.ExitUsage, `kernel "prod(pair(linear,1,2),linear)"`},
		{"path to nowhere", []string{"train", "-o", "-", data, "--path-C", "1,2"}, contract.ExitUsage, "the models of a path cannot"},
		{"several machines of a kind", []string{"train", "-o", f.at("new"), data, "--multiclass", "all"}, contract.ExitUsage, "--multiclass: unknown \"all\""},
		{"several machines for numbers", []string{"train", "-o", f.at("new"), data, "--multiclass", "ovr", "--task", "svr"}, contract.ExitUsage, "several machines tell classes apart, and task svr has none"},
		{"several machines for one class", []string{"train", "-o", f.at("new"), data, "--multiclass", "labels", "--task", "oneclass"}, contract.ExitUsage, "several machines tell classes apart"},
		{"several machines and positive", []string{"train", "-o", f.at("new"), data, "--multiclass", "ovo", "--positive", "1"}, contract.ExitUsage, "positive labels make two classes"},
		{"several machines from one", []string{"train", "-o", f.at("new"), data, "--multiclass", "ovo", "--init", path}, contract.ExitUsage, "--init starts a model of one machine"},
		{"one machine from several", []string{"train", "-o", f.at("new"), data, "--init", several}, contract.ExitUsage, "the model to start from has several machines"},
		{"one set of weights of one machine", []string{"train", "-o", f.at("new"), data, "--one-theta"}, contract.ExitUsage, "one set of weights is for the machines of ovr or labels"},
		{"one set of weights of pairs", []string{"train", "-o", f.at("new"), data, "--one-theta", "--multiclass", "ovo"}, contract.ExitUsage, "one set of weights is for the machines of ovr or labels"},
		{"one set of weights above 2", []string{"train", "-o", f.at("new"), data, "--one-theta", "--multiclass", "ovr", "--norm", "3"}, contract.ExitUsage, "p = 3 with one set of weights"},
		{"one set of weights with a net", []string{"train", "-o", f.at("new"), data, "--one-theta", "--multiclass", "ovr", "--elastic-net", "0.5"}, contract.ExitUsage, "one set of weights is for the block norm alone"},
		{"one set of weights and checkpoints", []string{"train", "-o", f.at("new"), data, "--one-theta", "--multiclass", "ovr", "--checkpoint", f.at("c")}, contract.ExitUsage, "checkpoints hold the state of one machine"},
		{"one machine for all and probabilities", []string{"train", "-o", f.at("new"), data, "--multiclass", "single", "--probability"}, contract.ExitUsage, "probabilities with one machine for all classes"},
		{"one machine for all and one set of weights", []string{"train", "-o", f.at("new"), data, "--multiclass", "single", "--one-theta"}, contract.ExitUsage, "one set of weights is for the machines of ovr or labels"},
		{"one machine for all with a squared hinge", []string{"train", "-o", f.at("new"), data, "--multiclass", "single", "--loss", "squared-hinge"}, contract.ExitUsage, "loss squared-hinge with one machine for all classes"},
		{"one machine for all by another solver", []string{"train", "-o", f.at("new"), data, "--multiclass", "single", "--solver", "cpm"}, contract.ExitUsage, "one machine for all classes with solver cpm"},
		{"one machine for all with a net", []string{"train", "-o", f.at("new"), data, "--multiclass", "single", "--elastic-net", "0.5"}, contract.ExitUsage, "one machine for all classes is for the block norm alone"},
		{"a selection of one machine for all", []string{"select", "-o", f.at("sel"), data, "--multiclass", "single"}, contract.ExitUsage, "a selection does not train one machine for all classes"},
		{"one machine for all by a rule", []string{"train", "-o", f.at("new"), data, "--multiclass", "single", "--weights", "rule:align"}, contract.ExitUsage, "one machine for all classes is for the block norm alone"},
		{"one machine for all of numbers", []string{"train", "-o", f.at("new"), data, "--multiclass", "single", "--task", "svr"}, contract.ExitUsage, "several machines tell classes apart, and task svr has none"},
		{"one machine for all and discriminants", []string{"train", "-o", f.at("new"), data, "--multiclass", "single", "--task", "rkda"}, contract.ExitUsage, "several machines with task rkda"},
		{"one machine for all on a path", []string{"train", "-o", f.at("new") + "%C", data, "--multiclass", "single", "--path-C", "1,2"}, contract.ExitUsage, "a path cannot hold models of several machines"},
		{"one machine for all of a stream", []string{"train", "--quiet", "-o", f.at("new"), data, "--multiclass", "single", "--stream", "--every", "20"}, contract.ExitUsage, ""},
		{"one machine for all of one class", []string{"train", "--quiet", "-o", f.at("new"), f.file("alike", "1 1:1\n1 1:2\n1 1:3\n"), "--multiclass", "single"}, contract.ExitInput, f.at("alike") + ": only one class"},
		{"a ridge of 0", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--lambda", "0"}, contract.ExitUsage, "--lambda: "},
		{"a ridge below 0", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--lambda", "-1e-3"}, contract.ExitUsage, "--lambda: "},
		{"a ridge beside a cost", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--lambda", "1e-3", "-C", "2"}, contract.ExitUsage, "C beside lambda: the cost of task rkda is 1/(n lambda)"},
		{"a ridge that is found beside a cost", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--lambda", "joint", "-C", "2"}, contract.ExitUsage, "C beside lambda: the cost of task rkda is 1/(n lambda)"},
		{"a ridge that is found and a cost that is", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "-C", "joint"}, contract.ExitUsage, "C beside lambda: task rkda finds lambda and not C"},
		{"a ridge that is found in another task", []string{"train", "-o", f.at("new"), data, "--norm", "1", "--loss", "squared-hinge", "--lambda", "joint"}, contract.ExitUsage, "lambda without task rkda: other tasks have C"},
		{"a ridge that is found at another p", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--lambda", "joint", "--norm", "1.5"}, contract.ExitUsage, "lambda is found as a weight that sums to 1 with the others"},
		{"a ridge that is found by the program of Kim", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--lambda", "joint", "--solver", "sdp-kim"}, contract.ExitUsage, "lambda is not found by solver sdp-kim"},
		{"a ridge that is a word", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--lambda", "found"}, contract.ExitUsage, "--lambda: "},
		{"a ridge of another task", []string{"train", "-o", f.at("new"), data, "--lambda", "1e-3"}, contract.ExitUsage, "lambda without task rkda: other tasks have C"},
		{"discriminants above 2", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--norm", "3"}, contract.ExitUsage, "p = 3 with task rkda"},
		{"discriminants of weighted classes", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--class-weight", "1=2"}, contract.ExitUsage, "class weights with task rkda: scatter matrices have none"},
		{"discriminants of weighted rows", []string{"train", "--quiet", "-o", f.at("new"), f.file("twenty", text(20, 1)), "--task", "rkda", "--row-weights", f.file("rowweights", strings.Repeat("2\n", 20))}, contract.ExitUsage, "row weights with task rkda"},
		{"discriminants of one class", []string{"train", "--quiet", "-o", f.at("new"), f.file("alike", "1 1:1\n1 1:2\n1 1:3\n"), "--task", "rkda"}, contract.ExitInput, f.at("alike") + ": only one class: all 3 rows are"},
		{"discriminants by another solver", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--solver", "wrapper"}, contract.ExitUsage, "task rkda with solver wrapper"},
		{"an unknown rule for classes", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--rule", "votes"}, contract.ExitUsage, "--rule: unknown"},
		{"discriminants of several machines", []string{"train", "-o", f.at("new"), data, "--task", "rkda", "--multiclass", "ovr"}, contract.ExitUsage, "several machines with task rkda, which has all classes in one problem"},
		{"a path of discriminants", []string{"train", "-o", f.at("new") + "%p", data, "--task", "rkda", "--path-norm", "1,2"}, contract.ExitUsage, "a path of task rkda"},
		{"a selection of discriminants", []string{"select", "-o", f.at("sel"), data, "--task", "rkda"}, contract.ExitUsage, "a selection does not train task rkda"},
		{"a stream of discriminants", []string{"train", "--quiet", "-o", f.at("new"), data, "--task", "rkda", "--stream", "--every", "20"}, contract.ExitUsage, "a trainer of task rkda"},
		{"a component without a kernel", []string{"train", "--quiet", "-o", f.at("new"), data, "--task", "med", "--kernels", "linear,gauss:1", "--components", "1/3"}, contract.ExitUsage, "component 3, and there are 2 kernels"},
		{"a class without components", []string{"train", "-o", f.at("new"), data, "--task", "med", "--components", "1,2/"}, contract.ExitUsage, `components "1,2/": a class without any`},
		{"components of one class", []string{"train", "-o", f.at("new"), data, "--task", "med", "--components", "1,2"}, contract.ExitUsage, `components "1,2" of 1 classes, not of two`},
		{"component 0", []string{"train", "-o", f.at("new"), data, "--task", "med", "--components", "0/1"}, contract.ExitUsage, `component "0" is no number of a kernel from 1`},
		{"components of another task", []string{"train", "-o", f.at("new"), data, "--components", "1/1"}, contract.ExitUsage, "components, entropy, restarts, rounds and observed components are options of tasks med and mixture alone"},
		{"too many components without entropy", []string{"train", "--quiet", "-o", f.at("new"), data, "--task", "med", "--kernels", "gauss:1..9/8", "--entropy", "drop"}, contract.ExitUsage, "8 and 8 components without the entropy"},
		{"mixtures of three classes", []string{"train", "--quiet", "-o", f.at("new"), f.file("threemed", threeClasses(30)), "--task", "med", "--kernels", "linear"}, contract.ExitInput, f.at("threemed") + ": 3 classes where two are needed"},
		{"pairs with the entropy", []string{"train", "-o", f.at("new"), data, "--task", "med", "--solver", "smo"}, contract.ExitUsage, "solver smo with precision 32 or the entropy"},
		{"pairs of another task", []string{"train", "-o", f.at("new"), data, "--solver", "smo"}, contract.ExitUsage, "solver smo is for task med"},
		{"a likelihood with a cost", []string{"train", "-o", f.at("new"), data, "--task", "mixture", "-C", "2"}, contract.ExitUsage, "C or class weights with task mixture"},
		{"a likelihood with class weights", []string{"train", "-o", f.at("new"), data, "--task", "mixture", "--class-weight", "1=2"}, contract.ExitUsage, "C or class weights with task mixture"},
		{"a likelihood with an entropy", []string{"train", "-o", f.at("new"), data, "--task", "mixture", "--entropy", "exact"}, contract.ExitUsage, "an entropy with task mixture"},
		{"a likelihood of a norm", []string{"train", "-o", f.at("new"), data, "--task", "mixture", "--norm", "4/3"}, contract.ExitUsage, "a norm with task mixture"},
		{"mixtures of several machines", []string{"train", "-o", f.at("new"), data, "--task", "med", "--multiclass", "ovr"}, contract.ExitUsage, "several machines with task med"},
		{"mixtures with a norm", []string{"train", "-o", f.at("new"), data, "--task", "med", "--norm", "1"}, contract.ExitUsage, "a norm with task med"},
		{"mixtures with probabilities", []string{"train", "-o", f.at("new"), data, "--task", "med", "--probability"}, contract.ExitUsage, "probabilities with task med: not yet"},
		{"mixtures with missing views", []string{"train", "-o", f.at("new"), data, "--task", "med", "--missing", "empty"}, contract.ExitUsage, "views that rows lack with task med: not yet"},
		{"mixtures of no rounds", []string{"train", "-o", f.at("new"), data, "--task", "med", "--rounds", "0"}, contract.ExitUsage, "--rounds: 0 is not at least 1"},
		{"a path of mixtures", []string{"train", "-o", f.at("new") + "%C", data, "--task", "med", "--path-C", "1,2"}, contract.ExitUsage, "a path of task med"},
		{"a selection of mixtures", []string{"select", "-o", f.at("sel"), data, "--task", "med"}, contract.ExitUsage, "a selection does not train task med"},
		{"a stream of mixtures", []string{"train", "--quiet", "-o", f.at("new"), data, "--task", "med", "--stream", "--every", "20"}, contract.ExitUsage, "a trainer of task med"},
		{"observed of few rows", []string{"train", "--quiet", "-o", f.at("new"), data, "--task", "med", "--kernels", "linear,gauss:1", "--observe", f.file("observed", "1 2\n")}, contract.ExitInput, data + ": components of 2 rows were observed"},
		{"observed halves", []string{"train", "--quiet", "-o", f.at("new"), data, "--task", "med", "--observe", f.file("halves", "0.5\n")}, contract.ExitUsage, "observed component 1 is 0.5"},
		{"observed of another task", []string{"train", "-o", f.at("new"), data, "--observe", f.at("observed")}, contract.ExitUsage, "--observe is an option of --task med and mixture alone"},
		{"path of several machines", []string{"train", "-o", f.at("new") + "%C", data, "--multiclass", "ovr", "--path-C", "1,2"}, contract.ExitUsage, "a path cannot hold models of several machines"},
		{"path of norms of several machines", []string{"train", "-o", f.at("new") + "%p", data, "--multiclass", "ovr", "--path-norm", "1,2"}, contract.ExitUsage, "a path cannot hold models of several machines"},
		{"machine of one", []string{"inspect", path, "--machine", "1"}, contract.ExitUsage, "--machine \"1\" is given, but the model has one machine"},
		{"machine that is not there", []string{"inspect", several, "--machine", "4"}, contract.ExitUsage, "the model has no machine \"4\""},
		{"machine 0", []string{"bound", several, "--machine", "-1"}, contract.ExitUsage, "the model has no machine \"-1\""},
		{"bound of a machine of one", []string{"bound", path, "--machine", "1"}, contract.ExitUsage, "--machine \"1\" is given, but the model has one machine"},
		{"decisions to nowhere", []string{"predict", several, test, "--json", "--decisions"}, contract.ExitUsage, "--decisions has no effect"},
		{"path of nothing", []string{"train", "-o", f.at("new") + "%C", data, "--path-C", "0..1"}, contract.ExitUsage, "--path-C: "},
		{"path without end", []string{"train", "-o", f.at("new") + "%C", data, "--path-C", "1..2/100000"}, contract.ExitUsage, "--path-C: "},
		{"align nothing", []string{"align"}, contract.ExitUsage, "no data file is named"},
		{"align three points", []string{"align", data, "--sample", "3"}, contract.ExitUsage, "a sample of 3 points"},
		{"align to nowhere", []string{"align", data, "-o", "-"}, contract.ExitUsage, "the table and the matrix"},
		{"bound of nothing", []string{"bound"}, contract.ExitUsage, "no model is named"},
		{"bound of slow decay", []string{"bound", path, "--alpha", "1"}, contract.ExitUsage, "--alpha: "},
		{"bound of a half", []string{"bound", path, "--norms", "1,0.5"}, contract.ExitUsage, "--norms: "},
		{"demo of something", []string{"demo", data}, contract.ExitUsage, "demo takes no arguments"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
	o := try("train", "--norm", "x", "-C", "0", "--threads", "two")
	if o.code != contract.ExitUsage || strings.Count(o.stderr, "\n") != 5 || strings.Count(o.stderr, "bigmkl: ") != 5 {
		t.Errorf("five faults give\n%s", o.stderr)
	}
}
