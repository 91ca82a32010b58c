// Command program replaces bigmkl where a release is tested: it is linked within a second, has a
// module to be listed, completions, and a manual.
package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "program"}
	root.AddCommand(&cobra.Command{Use: "demo", Run: func(c *cobra.Command, _ []string) {
		c.Println("recomputed from the data, and the model file agrees")
	}})
	root.AddCommand(&cobra.Command{Use: "manuals FOLDER", Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, args []string) error {
		return errors.Join(os.WriteFile(filepath.Join(args[0], "bigmkl.1"), []byte(".TH BIGMKL 1\n"), 0o644),
			os.WriteFile(filepath.Join(args[0], "bigmkl-train.1"), []byte(".TH BIGMKL-TRAIN 1\n"), 0o644))
	}})
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}
