package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// terms are the files in which modules have their licences and notices.
var terms = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.][a-z0-9.-]+)?$`)

// notices returns the terms of Go and of every module that is linked into a program, as their licences ask for. A module
// without any is an error: nobody may pass it on.
func notices(ctx context.Context, info *debug.BuildInfo) ([]byte, error) {
	root, err := run(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "The program contains the library of Go and the modules below. Their terms follow.\n")
	if err := addTerms(&b, "Go "+strings.TrimPrefix(info.GoVersion, "go"), strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		folder, err := run(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}", m.Path+"@"+m.Version)
		if err != nil {
			return nil, err
		}
		if err := addTerms(&b, m.Path+" "+m.Version, strings.TrimSpace(string(folder))); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// writeNotices writes the terms of what is linked into the program of a file. The build of a wheel asks for them.
func writeNotices(ctx context.Context, to io.Writer, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	text, err := notices(ctx, info)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}

// addTerms adds the terms that lie in a folder.
func addTerms(to *bytes.Buffer, name, folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("the terms of %s: %w", name, err)
	}
	found := false
	for _, f := range files {
		if !f.Type().IsRegular() || !terms.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), name, f.Name(), bytes.TrimSpace(text))
		found = true
	}
	if !found {
		return errors.New(name + " has no file with its terms")
	}
	return nil
}
