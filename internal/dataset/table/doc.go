// Package table reads rows from comma-separated values, and from values that tabs or semicolons
// separate.
//
// Purpose. Open finds out what the columns are, from the first SampleRows rows: whether the first
// line has their names, which one holds the labels, and which hold words in place of numbers. What
// is doubtful is an error that names the option by which the user settles it (stats.doubt). A column
// of categories becomes one feature for each of its words, in the order of their bytes,
// and for that files are read twice. Standard input is read once, so all of its categories have to
// be among those first rows. A column of sequences, which the caller names, becomes a feature for
// each letter of the longest, behind all others. The columns are then kept by a model (see
// dataset.Columns), and further tables are read by the names of their columns, in any order.
//
// Invariants. A row has ascending indices and finite values, and a zero is not an entry, as in
// libsvm text. Numbers are plain decimals, correctly rounded. Values that are missing are rejected.
// A word that a model does not know is none of its categories: all their features are 0 then, and
// Unknown counts it. Errors are of class fail.Input and name file, line and column of the text.
//
// Memory. A row takes a few times its length, which is bounded as the length of a line of libsvm
// text is.
//
// References. Quotes, line ends and empty lines follow encoding/csv, and so RFC 4180.
package table
