package spec

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Split takes a list of specifications apart: "a,b,c", or "@FILE" for a file with one specification a line, where # starts
// a comment. Lines of SMO-MKL ("-t 2 -g 0.5") become specifications. The syntax is checked here, so that a fault in a file is
// reported with its line; whether features and views exist is for Expand to say.
func Split(list string) ([]string, error) {
	if name, ok := strings.CutPrefix(list, "@"); ok {
		return readList(name)
	}
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		s, err := one(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// one translates and checks a single specification.
func one(text string) (string, error) {
	if text == "" {
		return "", fail.New(fail.Usage, "an empty kernel specification")
	}
	s := text
	if strings.HasPrefix(text, "-") {
		var err error
		if s, err = smo(text); err != nil {
			return "", usage(text, err)
		}
	}
	if _, err := parse(s, 1); err != nil {
		if s != text {
			err = usage(text, err)
		}
		return "", err
	}
	return s, nil
}

func readList(name string) ([]string, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, files.InputFault("cannot read the list of kernels", name, err)
	}
	defer f.Close()
	var out []string
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	line := 0
	for scan.Scan() {
		line++
		text := scan.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
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
	if err := scan.Err(); err != nil {
		return nil, files.InputFault("cannot read the list of kernels", name, err).At(name, line+1, 0)
	}
	if len(out) == 0 {
		return nil, fail.New(fail.Usage, "the list of kernels is empty").At(name, 0, 0)
	}
	return out, nil
}

// smo translates a kernel of SMO-MKL, which writes LIBSVM's options, with LIBSVM's defaults: a Gaussian, degree 3, gamma
// 1/features, coefficient 0.
func smo(line string) (string, error) {
	option := map[string]string{"-t": "2", "-g": "1/features", "-d": "3", "-r": "0"}
	words := strings.Fields(line)
	for i := 0; i < len(words); i += 2 {
		if _, ok := option[words[i]]; !ok {
			return "", fmt.Errorf("%q is none of -t -g -d -r", words[i])
		}
		if i+1 == len(words) {
			return "", fmt.Errorf("%s has no value", words[i])
		}
		option[words[i]] = words[i+1]
	}
	g, d, r := option["-g"], option["-d"], option["-r"]
	switch option["-t"] {
	case "0":
		return "linear", nil
	case "1":
		return "poly:" + d + ":" + g + ":" + r, nil
	case "2":
		return "gauss:" + g, nil
	case "3":
		return "sigmoid:" + g + ":" + r, nil
	}
	return "", fmt.Errorf("there is no kernel type -t %s", option["-t"])
}
