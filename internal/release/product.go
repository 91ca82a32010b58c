package main

import "context"

// product is what a release is of.
type product struct {
	// command is the package of the program.
	command string
	// writeManuals writes pages of the manual to a folder; program is the one for this computer.
	writeManuals func(ctx context.Context, program, folder string) error
	// whole is false in tests, whose builds find in the cache what other tests have built: there are no wheels,
	// and the programs have the paths of the sources, so other folders give other bytes.
	whole bool
}

// bigmkl is the product of this module.
func bigmkl(whole bool) product {
	return product{"./cmd/bigmkl", func(ctx context.Context, program, folder string) error {
		_, err := run(ctx, nil, program, "man", "--dir", folder)
		return err
	}, whole}
}
