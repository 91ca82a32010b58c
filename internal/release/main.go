// Command release makes the files of a release: static binaries for each system and processor, in archives
// with the licence, the terms of what is linked, the manual and the completions for shells; a bill of materials and
// a wheel of each, if there is a folder python; the sources of the package for R; and the checksums of all.
//
//	go run ./internal/release -o dist
//	go run ./internal/release rename MODULEPATH
//
// The second form gives the module in the current folder another path, for those who publish it under one.
//
// The same sources and the same Go release give the same bytes of every file: paths are trimmed, and
// every entry has the time of the last commit, or of SOURCE_DATE_EPOCH.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// targets lists the systems and processors that a release is for.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64",
	"windows/arm64"}

// release holds what is common to all archives.
type release struct {
	// out is the folder of the release, and work one for what goes into it.
	out, work string
	version   string
	linker    string // flags of the linker
	epoch     time.Time
	product   product
	// built has the programs by their targets.
	built map[string]string
	// common lists the files of every archive, by their names there.
	common []entry
}

func main() {
	out := flag.String("o", "dist", "write the release to this `folder`, which must not exist")
	list := flag.String("targets", strings.Join(targets, ","), "systems and processors")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch args := flag.Args(); {
	case len(args) == 0:
		err = makeRelease(ctx, *out, strings.Split(*list, ","), bigmkl(true))
	case len(args) == 2 && args[0] == "rename":
		err = renameModule(ctx, ".", args[1])
	case len(args) == 2 && args[0] == "notices":
		err = writeNotices(ctx, os.Stdout, args[1])
	default:
		err = errors.New("the arguments are none, rename and the path of the module, or notices and a program")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// makeRelease makes a release of the sources in the current folder for the targets.
func makeRelease(ctx context.Context, out string, targets []string, of product) error {
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "bigmkl-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{out: out, work: work, product: of, built: map[string]string{}}
	if r.epoch, err = sourceTime(ctx); err != nil {
		return err
	}
	if r.version, err = readVersion(); err != nil {
		return err
	}
	if r.linker, err = stamp(ctx, r.version); err != nil {
		return err
	}
	host := runtime.GOOS + "/" + runtime.GOARCH
	program, err := r.build(ctx, host)
	if err != nil {
		return err
	}
	if err := r.addCommon(ctx, program); err != nil {
		return err
	}
	for _, target := range targets {
		if err := r.addTarget(ctx, target); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if err := r.addWheel(ctx, target); err != nil {
			return fmt.Errorf("the wheel for %s: %w", target, err)
		}
	}
	if err := r.addR(ctx); err != nil {
		return fmt.Errorf("the package for R: %w", err)
	}
	return r.writeSums()
}

// addR writes the sources of the package for R, which R CMD INSTALL takes, if there is a folder r.
func (r *release) addR(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join("r", "DESCRIPTION"))
	if err != nil || !r.product.whole {
		return nil
	}
	_, version, _ := strings.Cut(string(text), "\nVersion: ")
	version, _, _ = strings.Cut(version, "\n")
	names, err := run(ctx, nil, "git", "ls-files", "-z", "r")
	if err != nil {
		return err
	}
	var list []entry
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		list = append(list, entry{name: strings.TrimPrefix(name, "r/"), file: name, mode: 0o644})
	}
	return writeTar(filepath.Join(r.out, "bigmkl_r_"+version+".tar.gz"), "bigmkl", list, r.epoch)
}

// sourceTime is the time of everything in an archive.
func sourceTime(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := run(ctx, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is not set, and %w", err)
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// build builds the command for a target and returns its file.
func (r *release) build(ctx context.Context, target string) (string, error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return "", errors.New("a target is a system and a processor, such as linux/amd64")
	}
	if file := r.built[target]; file != "" {
		return file, nil
	}
	file := filepath.Join(r.work, system+"-"+processor, nameOf("bigmkl", system))
	env := []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + processor}
	_, err := run(ctx, env, "go", "build", "-trimpath="+strconv.FormatBool(r.product.whole), "-buildvcs=auto",
		"-ldflags="+r.linker, "-o", file, r.product.command)
	r.built[target] = file
	return file, err
}

// nameOf returns the name of a program on a system.
func nameOf(program, system string) string {
	if system == "windows" {
		return program + ".exe"
	}
	return program
}

// citedVersion is the line of CITATION.cff with the version of the sources.
var citedVersion = regexp.MustCompile(`(?m)^version: ([0-9a-z.-]+)$`)

// readVersion returns the version of the sources.
func readVersion() (string, error) {
	text, err := os.ReadFile("CITATION.cff")
	if err != nil {
		return "", err
	}
	found := citedVersion.FindSubmatch(text)
	if found == nil {
		return "", errors.New("CITATION.cff has no version")
	}
	return string(found[1]), nil
}

// stamp returns the flags of the linker that set the version and commit of a program, as the build of a wheel has them: Go finds
// the commit by itself in some clones and not in others. Sources without a history give the version alone.
func stamp(ctx context.Context, version string) (string, error) {
	module, err := run(ctx, nil, "go", "list", "-m")
	if err != nil {
		return "", err
	}
	told := [][2]string{{"builtVersion", version}}
	prefix, err := run(ctx, nil, "git", "rev-parse", "--show-prefix")
	if err == nil && len(bytes.TrimSpace(prefix)) == 0 { // A folder within another repository is not a commit of that one.
		commit, err := run(ctx, nil, "git", "rev-parse", "HEAD")
		if err != nil {
			return "", err
		}
		changes, err := run(ctx, nil, "git", "status", "--porcelain", "-uno")
		if err != nil {
			return "", err
		}
		told = append(told, [2]string{"builtCommit", string(bytes.TrimSpace(commit))}, [2]string{"builtModified", strconv.FormatBool(len(changes) > 0)})
	}
	flags := "-s -w"
	for _, t := range told {
		flags += fmt.Sprintf(" -X %s/cmd/bigmkl/command.%s=%s", bytes.TrimSpace(module), t[0], t[1])
	}
	return flags, nil
}

// addCommon makes the files of every archive beside the program: licence, manual, completions. The
// program is one for this computer.
func (r *release) addCommon(ctx context.Context, program string) error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		r.common = append(r.common, entry{name: name, file: name, mode: 0o644})
	}
	manuals := filepath.Join(r.work, "man")
	if err := os.Mkdir(manuals, 0o755); err != nil {
		return err
	}
	if err := r.product.writeManuals(ctx, program, manuals); err != nil {
		return err
	}
	pages, err := os.ReadDir(manuals)
	if err != nil {
		return err
	}
	for _, p := range pages {
		r.common = append(r.common,
			entry{name: "man/" + p.Name(), file: filepath.Join(manuals, p.Name()), mode: 0o644})
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := run(ctx, nil, program, "completion", shell)
		if err != nil {
			return err
		}
		file := filepath.Join(r.work, "bigmkl."+shell)
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		r.common = append(r.common, entry{name: "completions/bigmkl." + shell, file: file, mode: 0o644})
	}
	return nil
}

// addTarget writes the archive of a target and its bill of materials.
func (r *release) addTarget(ctx context.Context, target string) error {
	program, err := r.build(ctx, target)
	if err != nil {
		return err
	}
	system, _, _ := strings.Cut(target, "/")
	name := strings.Join([]string{"bigmkl", r.version, strings.ReplaceAll(target, "/", "_")}, "_")
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	text, err := notices(ctx, info)
	if err != nil {
		return err
	}
	file := filepath.Join(filepath.Dir(program), "NOTICES")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	list := []entry{{name: nameOf("bigmkl", system), file: program, mode: 0o755}, {name: "NOTICES", file: file, mode: 0o644}}
	write, ending := writeTar, ".tar.gz"
	if system == "windows" {
		write, ending = writeZip, ".zip"
	}
	if err := write(filepath.Join(r.out, name+ending), name, append(list, r.common...), r.epoch); err != nil {
		return err
	}
	bill, err := billOfMaterials(info, target, r.epoch)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, name+".cdx.json"), bill, 0o644)
}

// addWheel makes the wheel of the folder python for a target, if there is such a folder. Its setup builds
// the command for the platform that the variables of Go name.
func (r *release) addWheel(ctx context.Context, target string) error {
	if _, err := os.Stat(filepath.Join("python", "pyproject.toml")); err != nil || !r.product.whole {
		return nil
	}
	system, processor, _ := strings.Cut(target, "/")
	env := []string{"GOOS=" + system, "GOARCH=" + processor,
		"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.epoch.Unix(), 10)}
	_, err := run(ctx, env, "python3", "-m", "pip", "wheel", "--no-deps", "--wheel-dir", r.out, "./python")
	return err
}

// writeSums writes the checksums of all files, in the form that sha256sum -c reads.
func (r *release) writeSums() error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(r.out, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b), f.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// run runs a command with further variables of the environment, and returns what it prints.
func run(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(slices.Clone(os.Environ()), env...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, errs.Bytes(), out)
	}
	return out, nil
}
