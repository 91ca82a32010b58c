package letters

import (
	"path/filepath"
	"strconv"
	"strings"

	"bigmkl/internal/float"
	"bigmkl/internal/libsvm"
)

// options are the options of svm-train.
// Fields without an option in the command line keep the defaults of svm-train.
type options struct {
	// The names follow the letters of svm-train: cost is -c, nu is -n, and tube is the epsilon of -p.
	kind   string // one of libsvm.Types
	kernel libsvm.Kernel
	cost   float64
	nu     float64
	tube   float64
	// tolerance is the tolerance of -e, which becomes a gap.
	tolerance   float64
	probability bool
	// weights multiply the cost of classes. The last of several of a class multiplies what the others left,
	// as in LIBSVM.
	weights []classWeight
	folds   int // 0 without cross-validation
	quiet   bool

	// model is the file to write: the second argument, or the name of the data with .model.
	data, model string
	install     string // the folder of --install
}

// classWeight is an option -wi.
type classWeight struct {
	// label is the class i of -wi, and weight the factor of its cost.
	label  int32
	weight float64
}

// Defaults of svm-train.
const (
	// They are the values in the help of svm-train, which lettersTexts in package command repeats.
	defaultDegree    = 3
	defaultNu        = 0.5
	defaultTube      = 0.1
	defaultTolerance = 1e-3
	defaultCache     = 100.0
)

// parseTrain reads the command line of svm-train. Options come before the files, and each but -q has a value.
func parseTrain(args []string) (*options, error) {
	// A gamma of 0 means 1 / number of features, which is known after the data have been read.
	o := &options{kind: libsvm.CSVC, kernel: libsvm.Kernel{Kind: libsvm.RBF, Degree: defaultDegree}, cost: 1,
		nu: defaultNu, tube: defaultTube, tolerance: defaultTolerance}
	// The cache and shrinking are checked and have no effect: the budget of memory is the budget
	// of the command, and shrinking changes no result.
	cache, shrinking, probability := defaultCache, 1, 0
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		// A value may begin with -, such as a negative coef0, so it is taken without a look at it.
		name := args[0]
		if name == "-q" {
			o.quiet, args = true, args[1:]
			continue
		}
		// The last word has nothing after it that could be its value.
		if len(args) == 1 {
			return nil, usage(NameTrain, "%s has no value", name)
		}
		// Each case reads the value once. A fault stays in v until the switch is over.
		v := value{program: NameTrain, name: name, text: args[1]}
		switch args = args[2:]; {
		case name == "-s":
			o.kind = v.choice(libsvm.Types)
		case name == "-t":
			o.kernel.Kind = v.choice(libsvm.Kernels)
		case name == "-d":
			o.kernel.Degree = v.integer()
		case name == "-g":
			o.kernel.Gamma = v.number()
		case name == "-r":
			o.kernel.Coef0 = v.number()
		case name == "-c":
			o.cost = v.number()
		case name == "-n":
			o.nu = v.number()
		case name == "-p":
			o.tube = v.number()
		case name == "-m":
			cache = v.number()
		case name == "-e":
			o.tolerance = v.number()
		case name == "-h":
			shrinking = v.integer()
		case name == "-b":
			probability = v.integer()
		case name == "-v":
			// With one fold no row would be left for the training.
			if o.folds = v.integer(); v.err == nil && o.folds < 2 {
				return nil, usage(NameTrain, "n-fold cross validation: n must be at least 2, and is %d", o.folds)
			}
		case name == "--install":
			o.install = v.text
		// The class is a part of the name of the option: -w1 5 is the weight 5 of class 1.
		case strings.HasPrefix(name, "-w"):
			// Labels of LIBSVM are integers, so a class is parsed as one.
			label := value{program: NameTrain, name: "the class of " + name, text: name[2:]}
			o.weights = append(o.weights, classWeight{int32(label.integer()), v.number()})
			if label.err != nil {
				return nil, label.err
			}
		default:
			return nil, usage(NameTrain, "unknown option: %s", name)
		}
		if v.err != nil {
			return nil, v.err
		}
	}
	// A value other than 0 and 1 is rejected by check below.
	o.probability = probability == 1
	// --install makes links and trains nothing, so it needs no data.
	if o.install != "" {
		if len(args) > 0 {
			return nil, usage(NameTrain, "--install takes a folder and no data")
		}
		return o, nil
	}
	switch len(args) {
	case 1:
		// svm-train writes into the current folder, wherever the data are.
		o.model = filepath.Base(args[0]) + ".model"
	case 2:
		o.model = args[1]
	default:
		return nil, usage(NameTrain, "%d files, where the data and perhaps the model are to be named", len(args))
	}
	o.data = args[0]
	return o, o.check(cache, shrinking, probability)
}

// check finds values that make no sense, in the words of LIBSVM.
func (o *options) check(cache float64, shrinking, probability int) error {
	k := &o.kernel
	// LIBSVM checks only parameters that the kernel and the formulation use. So must this,
	// or command lines that LIBSVM takes would fail here.
	hasGamma := k.Kind == libsvm.Polynomial || k.Kind == libsvm.RBF || k.Kind == libsvm.Sigmoid
	hasCost := o.kind == libsvm.CSVC || o.kind == libsvm.EpsilonSVR || o.kind == libsvm.NuSVR
	// The nu of a C-SVC has no effect, so any value of it passes.
	hasNu := o.kind == libsvm.NuSVC || o.kind == libsvm.OneClass || o.kind == libsvm.NuSVR
	// The order is the order of LIBSVM, so the first fault of several is the same.
	for _, c := range []struct {
		wrong bool
		text  string
	}{
		{hasGamma && k.Gamma < 0, "gamma < 0"},
		{k.Kind == libsvm.Polynomial && k.Degree < 0, "degree of polynomial kernel < 0"},
		{cache <= 0, "cache_size <= 0"},
		{o.tolerance <= 0, "eps <= 0"},
		{hasCost && o.cost <= 0, "C <= 0"},
		{hasNu && (o.nu <= 0 || o.nu > 1), "nu <= 0 or nu > 1"},
		{o.kind == libsvm.EpsilonSVR && o.tube < 0, "p < 0"},
		{shrinking != 0 && shrinking != 1, "shrinking != 0 and shrinking != 1"},
		{probability != 0 && probability != 1, "probability != 0 and probability != 1"},
	} {
		if c.wrong {
			return usage(NameTrain, "%s", c.text)
		}
	}
	// A weight of 0 or less has no problem that could be solved.
	for _, w := range o.weights {
		if !(w.weight > 0) {
			return usage(NameTrain, "the weight %g of class %d is not positive", w.weight, w.label)
		}
	}
	return nil
}

// value is the value of an option, with the names for its message. A fault stays in err, so a
// switch can parse values without a check in every case.
type value struct {
	program, name, text string
	err                 error
}

// number returns the value as a finite number. C takes words such as inf, which no option can use.
func (v *value) number() float64 {
	// ParseFloat accepts inf and nan as well, which the second condition rejects.
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || !float.Finite(x) {
		v.err = usage(v.program, "%s %s is no number", v.name, v.text)
	}
	return x
}

// integer returns the value as an integer of 32 bits, the int of LIBSVM.
func (v *value) integer() int {
	n, err := strconv.ParseInt(v.text, 10, 32)
	if err != nil {
		v.err = usage(v.program, "%s %s is no integer", v.name, v.text)
	}
	return int(n)
}

// choice returns the word of a list with the number of the value.
// LIBSVM numbers its types and kernels from 0.
func (v *value) choice(list []string) string {
	if n := v.integer(); v.err == nil && n >= 0 && n < len(list) {
		return list[n]
	}
	v.err = usage(v.program, "%s %s: the values are 0 to %d", v.name, v.text, len(list)-1)
	return ""
}
