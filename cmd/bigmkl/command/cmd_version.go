package command

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
)

// newVersionCommand defines the version command.
// The lines have fixed words in front, so a script can read one of them without --json.
func newVersionCommand(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: "Version prints the version of the program, the commit of its sources, the compiler and the\n" +
			"platform. It also prints the instruction set of its arithmetic (BIGMKL_SIMD chooses a lower one)\n" +
			"and the version of the contract that --json follows.",
		Example: "  bigmkl version",
	}
	f := newFlags(c)
	addJSONFlag(f, &asJSON)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fail.New(fail.Usage, "version takes no arguments")
		}
		v := newVersionJSON()
		// The object has more than the text: it marks sources with changes by a value of its own.
		if asJSON {
			return a.printJSON("version", v)
		}
		// A build from an archive has no commit.
		commit := cmp.Or(v.Commit, "unknown")
		if v.Modified {
			commit += ", with changes"
		}
		return a.print("bigmkl %s\ncommit    %s\ncompiler  %s\nplatform  %s/%s, arithmetic %s\ncontract  %d\n",
			v.Version, commit, v.Go, v.OS, v.Arch, v.Arithmetic, contract.Version)
	}
	return c
}

// versionJSON is the object that version --json prints. A report of a fault needs all of these: the
// last digits of a model can differ between instruction sets.
type versionJSON struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	// Modified is set if the sources differed from the commit.
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	// Arithmetic is the instruction set in use, on which the last digits of a model depend.
	Arithmetic string `json:"arithmetic"`
}

// The linker sets these where Go finds no history of the sources by itself, as in the build of a wheel:
// -ldflags "-X PACKAGE.builtVersion=0.1.0 -X PACKAGE.builtCommit=HASH -X PACKAGE.builtModified=true".
var builtVersion, builtCommit, builtModified string

// newVersionJSON collects the version, the commit and the build of the program. The linker's values
// beat Go's: a wheel is built from an archive, or from a copy with changes of its own.
func newVersionJSON() versionJSON {
	v := versionJSON{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Arithmetic: simd.Level()}
	// Go notes the version of the module and the state of the repository in each program that it builds.
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = cmp.Or(info.Main.Version, v.Version)
		for _, s := range info.Settings {
			// The keys are fixed by the go command, which takes them from Git.
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	// An empty value means that the linker set none.
	v.Version = cmp.Or(builtVersion, v.Version)
	if builtCommit != "" {
		v.Commit, v.Modified = builtCommit, builtModified == "true"
	}
	return v
}

// describeVersion returns the version in a line, for --version.
// The commit is left out: the line is short enough for the head of a file.
func describeVersion() string {
	v := newVersionJSON()
	return v.Version + " " + v.Go + " " + v.OS + "/" + v.Arch
}
