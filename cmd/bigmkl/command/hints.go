package command

import (
	"errors"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// withoutImpute are the commands that read data and cannot fill in missing values by themselves.
var withoutImpute = []string{"convert", "predict", "report", "verify"}

// fitHint replaces the hint of a missing value for a command without --impute: the flag would be unknown there.
func fitHint(err error, args []string) {
	var known *fail.Error
	if len(args) == 0 || !slices.Contains(withoutImpute, args[0]) || !errors.As(err, &known) {
		return
	}
	own := "train --impute median, mean, zero or indicator makes a model that fills it in"
	if args[0] == "convert" {
		own = "convert writes no missing values; train --impute reads these data as they are; " +
			"--id leaves a column of a table out"
	}
	known.Hint = strings.ReplaceAll(known.Hint, dataset.ImputeHint, own)
}
