package main

import (
	"fmt"
	"os"
	"text/tabwriter"
)

// Ceiling is the number of methods and functions that a type may have.
const Ceiling = 15

func main() {
	types, err := Count(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "hubs:", err)
		os.Exit(1)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "methods\tfunctions\tfiles\t  type\t")
	for _, t := range types {
		if t.Total() > Ceiling {
			fmt.Fprintf(w, "%d\t%d\t%d\t  %s\t\n", t.Methods, t.Functions, t.Files, t.Name)
		}
	}
	w.Flush()
}
