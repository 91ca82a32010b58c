package main

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"bigmkl/internal/fail"
)

// newVersionCommand defines the version command.
func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: "Version prints the version of the program, the revision of its sources and the compiler, as far\n" +
			"as they are known.",
		Example: "  bigmkl version",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fail.New(fail.Usage, "version takes no arguments")
			}
			return a.print("bigmkl %s\n", describeVersion())
		},
	}
}

// describeVersion returns the version of the module, the revision and the compiler, as far as they
// are known.
func describeVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown " + runtime.Version()
	}
	text := cmp.Or(info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return text + " " + info.GoVersion + " " + runtime.GOOS + "/" + runtime.GOARCH
}
