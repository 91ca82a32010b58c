package invariant

import (
	"bigmkl/internal/testlevel"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	text := func() (text any) {
		defer func() { text = recover() }()
		Check(true, "fine")
		Check(false, "%d is not %d", 1, 2)
		return nil
	}()
	switch {
	case Enabled && text != "invariant: 1 is not 2":
		t.Errorf("a broken invariant gave %v", text)
	case !Enabled && text != nil:
		t.Errorf("without the tag: %v", text)
	}
	turns := 0
	for i := range int64(10) {
		if Turn(i, 4) {
			turns++
		}
	}
	if want := map[bool]int{true: 3}[Enabled]; turns != want {
		t.Errorf("%d turns of 10, want %d", turns, want)
	}
}

// declaredChecks returns the names of the functions that check invariants: their files end with
// invariants.go.
func declaredChecks(t *testing.T) []string {
	var files []string
	for _, depth := range []string{"*", "*/*", "*/*/*"} {
		found, err := filepath.Glob("../../" + depth + "/*invariants.go")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	declared := regexp.MustCompile(`(?m)^func (?:\(.*?\) )?(assert\w+)`)
	var names []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range declared.FindAllStringSubmatch(string(source), -1) {
			names = append(names, found[1])
		}
	}
	if len(names) < 5 {
		t.Fatalf("only the checks %v are declared", names)
	}
	return names
}

// The command as it is built for users has none of the checks in it, and the one with the tag has all.
func TestCost(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // builds the command twice
	names, program := declaredChecks(t), filepath.Join(t.TempDir(), "bigmkl")
	for _, c := range []struct {
		tags string
		want bool
	}{{"", false}, {"invariants", true}} {
		build := exec.Command("go", "build", "-tags", c.tags, "-o", program, "bigmkl/cmd/bigmkl")
		build.Env = append(os.Environ(), "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Skipf("go build: %v %s", err, out)
		}
		symbols, err := exec.Command("go", "tool", "nm", program).Output()
		if err != nil {
			t.Skip(err)
		}
		for _, name := range names {
			if has := strings.Contains(string(symbols), "."+name); has != c.want {
				t.Errorf("with tags %q: %s is in the program: %v", c.tags, name, has)
			}
		}
	}
}
