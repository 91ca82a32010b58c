package kernelspec

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Split splits a list of specifications: "a,b,c", or "@FILE" for a file with one specification a
// line, where # starts a comment. It translates lines of SMO-MKL ("-t 2 -g 0.5"). It checks the
// syntax, so a fault in a file is reported with its line; Expand checks whether features and
// views exist. Faults are of class fail.Usage, and a file that cannot be read is one of class
// fail.Input.
func Split(list string) ([]string, error) {
	if name, ok := strings.CutPrefix(list, "@"); ok {
		return readList(name)
	}
	out := make([]string, 0, atMost(list, ","))
	for more := true; more; {
		var part string
		part, list, more = next(list)
		s, err := one(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// atMost bounds the number of specifications of a text. None is shorter than "hist". The bound
// saves memory, because a slice that grows takes several times as much.
func atMost(text, separator string) int {
	return min(strings.Count(text, separator), len(text)/5) +
		1
}

// one translates and checks a single specification.
func one(text string) (string, error) {
	if text == "" {
		return "", fail.New(fail.Usage, "an empty kernel specification")
	}
	s := bare(text)
	suffix := strings.Join(strings.Fields(text[len(s):]), " ")
	if strings.HasPrefix(text, "-") {
		var err error
		if s, err = smo(s); err != nil {
			return "", usage(text, err)
		}
	}
	if suffix != "" {
		s = strings.TrimLeft(s+" "+suffix, " ")
	}
	if strings.HasPrefix(s, projectionPrefix) {
		return s, nil
	}
	if _, err := parse(s, 1); err != nil {
		if s != text {
			err = usage(text, err)
		}
		return "", err
	}
	return s, nil
}

// maxList is the largest size in bytes of a file of specifications. It bounds what a file that
// never ends can make the program hold.
const maxList = 256 << 20

func readList(name string) ([]string, error) {
	content, err := readText(name)
	if err != nil {
		return nil, files.InputFault("cannot read the list of kernels", name, err)
	}
	content = strings.TrimPrefix(content, "\ufeff")
	out := make([]string, 0, atMost(content, "\n"))
	line := 0
	for text := range strings.SplitSeq(content, "\n") {
		line++
		text, _, _ = strings.Cut(text, "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		s, err := one(text)
		if err != nil {
			var e *fail.Error
			if errors.As(err, &e) {
				e.At(name, line, 0)
			}
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fail.New(fail.Usage, "the list of kernels is empty").At(name, 0, 0)
	}
	return out, nil
}

// readText reads a file of bounded size into memory of exactly that size.
func readText(name string) (string, error) {
	f, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	if info, err := f.Stat(); err == nil && info.Size() <= maxList {
		b.Grow(int(info.Size()))
	}
	n, err := io.Copy(&b, io.LimitReader(f, maxList+1))
	if err != nil {
		return "", err
	}
	if n > maxList {
		return "", fmt.Errorf("it is longer than %d MiB", maxList>>20)
	}
	return b.String(), nil
}

// smo translates a kernel of SMO-MKL, which has the options and defaults of LIBSVM: a Gaussian,
// degree 3, gamma 1/features, coefficient 0.
func smo(line string) (string, error) {
	t, g, d, r := "2", "1/features", "3", "0"
	for rest := line; rest != ""; {
		var name, value string
		name, rest = word(rest)
		value, rest = word(rest)
		if value == "" {
			return "", fmt.Errorf("%s has no value", clip(name))
		}
		switch name {
		case "-t":
			t = value
		case "-g":
			g = value
		case "-d":
			d = value
		case "-r":
			r = value
		default:
			return "", fmt.Errorf("%s is none of -t -g -d -r", clip(name))
		}
	}
	switch t {
	case "0":
		return "linear", nil
	case "1":
		return "poly:" + d + ":" + g + ":" + r, nil
	case "2":
		return "gauss:" + g, nil
	case "3":
		return "sigmoid:" + g + ":" + r, nil
	}
	return "", fmt.Errorf("there is no kernel type -t %s", clip(t))
}

// word splits the first word off a text, which must not begin with a blank.
func word(text string) (first, rest string) {
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimLeft(text[i:], " \t")
	}
	return text, ""
}
