package formats

import (
	"io"
	"path/filepath"
	"strings"

	"bigmkl/dataset/arrays"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// inspect distinguishes arrays from text, and rejects a mixture of both.
func inspect(paths []string) (inputs []arrays.Input, array bool, err error) {
	kinds := [2]string{}
	for _, path := range paths {
		name, file := SplitName(path)
		is, err := isArray(file)
		if err != nil {
			return nil, false, err
		}
		if name != "" && !is {
			return nil, false, fail.New(fail.Usage, "%s names a view, and only arrays are views",
				fail.Quote(path)).WithHint("NAME=FILE takes .npy and .npz files; bigmkl convert --join ID makes one table of NAME=FILE of text")
		}
		if is {
			kinds[1] = file
		} else {
			kinds[0] = file
		}
		inputs = append(inputs, arrays.Input{Path: file, View: name})
	}
	if kinds[0] != "" && kinds[1] != "" {
		return nil, false, fail.New(fail.Usage, "%s is an array and %s is text", kinds[1],
			kinds[0]).WithHint("give files of one format")
	}
	return inputs, kinds[1] != "", nil
}

// isArray reports whether a file is an array by its name or by its first bytes. It does not look
// into pipes, which could not be read again.
func isArray(path string) (bool, error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".npy" || ext == ".npz" {
		return true, nil
	}
	start, err := head(path, 8)
	return arrays.Is(start), err
}

// head returns the first bytes of a regular file, and nothing of any other.
func head(path string, n int) ([]byte, error) {
	if path == "-" {
		return nil, nil
	}
	info, err := files.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, files.InputFault("cannot open", path, err)
	}
	defer f.Close()
	start := make([]byte, n)
	n, err = io.ReadFull(f, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, files.InputFault("cannot read", path, err)
	}
	return start[:n], nil
}

// Paths returns the files that the arguments of a command name, without the names of views.
func Paths(args []string) []string {
	var paths []string
	for _, arg := range args {
		_, path := SplitName(arg)
		paths = append(paths, path)
	}
	return paths
}

// SplitName splits NAME=FILE, an argument of a command. Anything else is a file, and so is NAME=FILE if there is a file of
// this very name.
func SplitName(arg string) (name, path string) {
	name, path, ok := strings.Cut(arg, "=")
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' ||
			r == '.'
	}
	if !ok || name == "" || path == "" || strings.Trim(name, "0123456789") == "" ||
		strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return "", arg
	}
	if _, err := files.Stat(arg); err == nil {
		return "", arg
	}
	return name, path
}
