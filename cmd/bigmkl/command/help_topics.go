package command

import (
	"strings"

	"bigmkl/internal/kernelspec"
)

// helpTopic is a text of the help that belongs to no command. A topic is about a grammar or a family of
// options that several commands have. The documents have more, but a user at a terminal of another
// computer may not have them.
// name is the argument of help, short its line in the list of topics, and text the whole topic.
type helpTopic struct {
	name, short, text string
}

// helpTopics lists the topics in the order of the help. The forms of kernels come from package
// kernelspec, whose parser is next to them. Each text has at most 110 columns and is printed as it is.
// Help looks for a topic before a command, so a topic must not have the name of a command.
var helpTopics = []helpTopic{
	// Attributes come last, as few users need them.
	{"kernels", "how to write kernels: widths, features, products, attributes",
		"--kernels takes a comma-separated list, or @FILE with one specification per line.\n\n" +
			"  " + strings.ReplaceAll(kernelspec.Forms, "\n", "\n  ") + "\n" +
			"  precomputed:FILE\n" +
			"  spectrum:K[:MISMATCHES]  wd:D[:shift=S]       for sequences\n\n" +
			"gauss:V is exp(-V d^2). V is the gamma of LIBSVM and scikit-learn, 1/(2 sigma^2). It can be:\n\n" +
			"  0.5                a number\n" +
			"  2^-10..2^2         a range that doubles\n" +
			"  0.001..10/50       50 geometric steps\n" +
			"  auto/10            ten values around the median distance\n" +
			"  mean/10, nn/3      around the mean distance, or around the nearest neighbours\n\n" +
			"A suffix selects features or positions:\n\n" +
			"  gauss:auto@1-76           features 1 to 76\n" +
			"  linear@3+17+44            these features\n" +
			"  gauss:auto/5@NAME         the view NAME\n" +
			"  gauss:auto/5@each-view    the kernels once for each view\n" +
			"  linear@each-feature       the kernel once for each feature\n" +
			"  gauss:1@random:10*1000    1,000 sets of 10 random features\n\n" +
			"Kernels can be combined:\n\n" +
			"  prod(gauss:auto@1-76,poly:2@77-292)    a product\n" +
			"  pow(linear,3)                          a power\n" +
			"  pair(gauss:0.5,1-10,11-20)             rows that are pairs of objects, in either order\n" +
			"  proj(gauss:0.5,2)                      two learned directions (see: bigmkl help gates)\n\n" +
			"Attributes follow a kernel after a space, as in \"gauss:auto/10@pix group=pix prior=2\":\n\n" +
			"  group=NAME    the group of the kernel, for --group-norm\n" +
			"  prior=V       multiplies the importance of the kernel\n" +
			"  cost=D        the cost of the kernel or of its view; the norm takes D ||w||\n" +
			"  norm=KIND     the normalisation of this kernel: none, multiplicative, spherical, centred\n"},
	// The first bytes decide where the name of a file does not. The table has one line for each format that
	// a reader exists for.
	{"tables", "input: LIBSVM text, tables, arrays, sequences, missing values",
		"The name and the first bytes of a file determine its format.\n\n" +
			"  LIBSVM text      label index:value .., indices from 1; may be compressed by gzip or zstd\n" +
			"  .csv, .tsv       a table: --label names the column of the labels\n" +
			"  .parquet         a table, and so are .arrow, .arrows and .feather\n" +
			"  .npy             an array, with labels in --labels\n" +
			"  .npz             an array, dense or sparse (CSR), with labels in y\n" +
			"  .pack            a packed store (bigmkl convert)\n" +
			"  FASTA            >name label=1, then letters; or lines of a label and a sequence\n" +
			"  -                standard input\n\n" +
			"The rows of several text files are joined. Several arrays are views of the same rows. A view has the\n" +
			"name of its file, or NAME if the file is given as NAME=FILE. In a table, adjacent columns with the\n" +
			"same prefix before a point are a view.\n\n" +
			"Each word in a table becomes a feature. predict and verify find columns by name, in any order.\n" +
			"--id leaves columns out. --impute fills in missing values, and --missing handles missing views.\n\n" +
			"docs/FORMATS.md describes every format.\n"},
	// Gates and projections share one topic: the same options, such as --starts and --gate-tol, bound their
	// descents.
	{"gates", "weights that depend on the row, and learned projections",
		"A gate is a weight of a kernel that depends on the row (localized multiple kernel learning).\n\n" +
			"  --gating regions:8       eight regions by k-means\n" +
			"  --gating softmax         learned gates; also sigmoid and gauss\n" +
			"  --gating fixed:FILE      numbers from a file\n" +
			"  --gate-on pca:20         the features that gates use: a set, a view, components, kernel values\n" +
			"  \"linear copies=6\"        six copies of a kernel, each with its own gate\n\n" +
			"A projection is a kernel that uses learned directions of all features.\n\n" +
			"  proj(gauss:0.5,2)        two directions\n" +
			"  proj(gauss:0.5,diag)     a scale for each feature\n\n" +
			"Other kernels can be added to a projection. With --multiclass, --one-gate gives all classifiers the\n" +
			"same gates or the same projection. The certificate is proven for the gates of the model. Further starts\n" +
			"(--starts) may reach a smaller objective.\n"},
	// The bound 0.001 of |Pr - 1/2| below is a bound of 2e-3 on the weight |2 Pr - 1| of a row.
	{"classes", "many classes, sets of labels, uncertain labels",
		"The data have two classes unless --task or --multiclass is given.\n\n" +
			"  --multiclass ovr       a classifier for each class against the rest\n" +
			"  --multiclass ovo       a classifier for each pair of classes\n" +
			"  --multiclass labels    a classifier for each label; a row has a set such as \"3,17 1:0.5\"\n" +
			"  --multiclass single    one classifier with a function for each class\n\n" +
			"The classifiers of the first three kinds have their own weights, bias and gap. --one-theta gives them\n" +
			"the same weights. single has one set of weights and requires the correct class to beat every other.\n\n" +
			"--posteriors is for uncertain labels. A row counts as 2 Pr - 1, where Pr is the probability of the\n" +
			"positive class. Rows within 0.001 of Pr = 1/2 are left out.\n\n" +
			"docs/CLASSES.md and docs/OPTIONS.md have more.\n"},
	// The formula q = p/(2-p) relates the norm of the weights to the block norm (Kloft 2011).
	{"norms", "block norms, costs, fixed weights, paths",
		"--norm is the block norm p: 1 keeps few kernels, 4/3 is the default, 2 is the plain sum of all kernels, and\n" +
			"inf makes all contribute alike. --theta-norm is the norm q of the weights, with q = p/(2-p).\n\n" +
			"cost=D after a kernel is the cost of evaluating it, or of acquiring its view. The norm takes D ||w||, so\n" +
			"an expensive kernel needs a larger benefit to keep its weight. --cost-power G replaces D by D^G. plan prints\n" +
			"the time of kernel values, and inspect the cost of a model.\n\n" +
			"--weights takes fixed weights from a file, or by a rule:\n\n" +
			"  rule:align, alignf, kandola:L, frobenius, fsm    from pairs of rows\n" +
			"  rule:accuracy:T, correlation, mse                from held-out rows, for each kernel alone\n\n" +
			"--path-norm, --path-cost and --path-C train a model for each combination. The data are read once, and\n" +
			"each training starts from the previous model.\n"},
	// Streams come last. They need options of all other topics.
	{"streams", "rows that keep coming",
		"--stream reads rows as they come, --every N of them at a time, and writes the model after each batch. Each\n" +
			"training continues from the previous one. The first batch determines scaling, widths and normalisation.\n" +
			"--multiclass ovr, --multiclass labels and a list of --tau give a classifier or\n" +
			"regressor for each class, label or quantile.\n\n" +
			"--window N keeps only the newest rows. --checkpoint DIR saves rows and state, and --resume continues with\n" +
			"other rows. --continue MODEL takes options and kernels from a model, and its support vectors in place of\n" +
			"the rows it was trained on. The new model then has these and the rows of DATA as training rows, and\n" +
			"bigmkl verify NEW MODEL DATA confirms it.\n\n" +
			"docs/STREAMS.md has more.\n"},
}

// topicNamed returns the topic of a name, or nil.
// The caller then looks for a command, and suggests similar names for an unknown one.
func topicNamed(name string) *helpTopic {
	// The list has a handful of topics, so a map would save nothing.
	for i := range helpTopics {
		if helpTopics[i].name == name {
			return &helpTopics[i]
		}
	}
	return nil
}
