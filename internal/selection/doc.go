// Package selection chooses kernels, norm and cost by cross-validation.
//
// An arm is a list of kernels with a norm; a cell is an arm with a cost. Every cell is trained
// without the rows of each fold in turn, and its figures belong to the rows that were left out. The
// trainings of an arm without one fold form a chain: the cost rises, and each training starts from the
// dual variables of the one before it. Scaling, widths and normalisation come from the rows of the
// training, unless Options.SharedPreparation makes them from all rows.
//
// A selection may be an experiment of many trials, see Trials. Each has rows of its own, and the
// data of one after the other are opened again.
//
// Measure finds what each source of data is worth, by the same folds: see Importance.
//
// # The folder
//
// A selection lives in a folder: selection.json has the settings of the selection, and chains/NAME.json
// has what each chain has found so far, with the dual variables that its next cell starts from. Files
// appear whole or not at all. A run that was killed loses the cell in progress, and a run that was
// resumed has the figures of one that was not, to the bit. Chains depend on no other chain. Several
// processes, also on several computers, can therefore share them out: see Options.Part.
//
// # Concurrency and memory
//
// One goroutine runs a selection. What a training takes is within the budgets of its options; beside
// that, a selection keeps some bytes for each cell and the labels of the rows.
package selection
