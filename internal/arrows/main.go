// Command arrows counts the calls between files of a package that run up. An arrow goes from a file to another file of
// its package with a function that the first calls. The files are put in the order in which the fewest arrows run up:
// callers above, called functions below. The command prints, for each package, the arrows that run up, and their share:
//
//	go run ./internal/arrows ./gradient ./chunking
//
// With the option -v it names these arrows.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	names := flag.Bool("v", false, "name the arrows that run up")
	flag.Parse()
	for _, pattern := range flag.Args() {
		arrows, err := Find(".", pattern)
		if err != nil {
			fmt.Fprintln(os.Stderr, "arrows:", err)
			os.Exit(1)
		}
		up := RunUp(arrows)
		fmt.Printf("%3d of %4d  %4.1f %%  %s\n", len(up), len(arrows), 100*float64(len(up))/float64(max(len(arrows), 1)), pattern)
		for _, a := range up {
			if *names {
				fmt.Printf("    %s calls %s\n", a.From, a.To)
			}
		}
	}
}
