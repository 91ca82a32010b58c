package models

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// pageArray is a line of the table of arrays in docs/MODEL.md.
type pageArray struct{ dtype, shape string }

// pageArrays reads that table, and the keys of the settings, which are all words in code of the section.
func pageArrays(t *testing.T) (arrays map[string]pageArray, settings string) {
	b, err := os.ReadFile(filepath.Join(commandtest.Docs, "MODEL.md"))
	if err != nil {
		t.Fatal(err)
	}
	arrays = map[string]pageArray{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| ([FIU][0-9]+) \\| ([^|]+) \\|").FindAllStringSubmatch(string(b), -1) {
		arrays[m[1]] = pageArray{m[2], m[3]}
	}
	_, settings, _ = strings.Cut(string(b), "## Settings")
	settings, _, _ = strings.Cut(settings, "## Evaluation")
	return arrays, settings
}

// pageFile is a model file as the page describes it.
type pageFile struct {
	settings map[string]any
	f64      map[string][]float64
	f32      map[string][]float32
	i32      map[string][]int32
	shapes   map[string][]int
}

// decodePage reads a model by the text of the page alone.
func decodePage(t *testing.T, file []byte, arrays map[string]pageArray) *pageFile {
	n := binary.LittleEndian.Uint64(file)
	head, body := file[8:8+n], file[8+n:]
	if n%8 != 0 {
		t.Errorf("a header of %d bytes", n)
	}
	copyOf := slices.Clone(file)
	for i := range 64 {
		copyOf[67+i] = '0'
	}
	if sum := sha256.Sum256(copyOf); hex.EncodeToString(sum[:]) != string(file[67:67+64]) {
		t.Error("another sha256")
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(head, &entries); err != nil {
		t.Fatal(err)
	}
	var meta map[string]string
	if err := json.Unmarshal(entries["__metadata__"], &meta); err != nil || meta["format"] != "bigmkl" {
		t.Fatal(err, meta)
	}
	delete(entries, "__metadata__")
	p := &pageFile{f64: map[string][]float64{}, f32: map[string][]float32{}, i32: map[string][]int32{}, shapes: map[string][]int{}}
	if err := json.Unmarshal([]byte(meta["model"]), &p.settings); err != nil {
		t.Fatal(err)
	}
	end := 0
	for name, raw := range entries {
		var e struct {
			Dtype   string `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		a, known := arrays[name]
		if !known || a.dtype != e.Dtype || len(strings.Split(a.shape, ", ")) != len(e.Shape) && a.shape != "M, or K M" && a.shape != "d, or 1" {
			t.Errorf("array %s: %s %v, and the page says %v", name, e.Dtype, e.Shape, a)
		}
		p.shapes[name] = e.Shape
		b := body[e.Offsets[0]:e.Offsets[1]]
		end = max(end, e.Offsets[1])
		switch e.Dtype {
		case "F64":
			for ; len(b) > 0; b = b[8:] {
				p.f64[name] = append(p.f64[name], math.Float64frombits(binary.LittleEndian.Uint64(b)))
			}
		case "F32":
			for ; len(b) > 0; b = b[4:] {
				p.f32[name] = append(p.f32[name], math.Float32frombits(binary.LittleEndian.Uint32(b)))
			}
		case "I32":
			for ; len(b) > 0; b = b[4:] {
				p.i32[name] = append(p.i32[name], int32(binary.LittleEndian.Uint32(b)))
			}
		}
	}
	if end != len(body) {
		t.Errorf("arrays end at %d of %d bytes", end, len(body))
	}
	p.checkShapes(t, arrays)
	return p
}

// checkShapes holds the shapes to the letters of the page.
func (p *pageFile) checkShapes(t *testing.T, arrays map[string]pageArray) {
	size := map[string]int{"s": len(p.i32["support"]), "d": int(p.settings["features"].(float64)), "K": max(1, len(p.i32["machine_classes"])/4), "1": 1}
	if p.several() {
		delete(arrays, "alpha") // There it has the dual variables of all classifiers.
	}
	size["M"] = len(p.f64["theta"]) / size["K"]
	for name, shape := range p.shapes {
		for k, letter := range strings.Split(arrays[name].shape, ", ") {
			want, known := size[letter]
			switch {
			case letter == "M" && strings.Contains(arrays[name].shape, "K M"):
				want *= size["K"]
			case letter == "s + 1":
				want, known = size["s"]+1, true
			case letter == "4 K":
				want, known = 4*size["K"], true
			case strings.HasPrefix(letter, "or "):
				continue
			}
			if known && shape[k] != want && !strings.Contains(arrays[name].shape, "or 1") {
				t.Errorf("%s has shape %v, and the page says %s: %v", name, shape, arrays[name].shape, size)
			}
		}
	}
}

// several reports whether a model has several classifiers, which are columns in task rkda.
func (p *pageFile) several() bool {
	return p.settings["multiclass"] != nil || p.settings["discriminant"] != nil
}

// TestModelPage decodes models of every kind by docs/MODEL.md, and evaluates those of two classes by it.
func TestModelPage(t *testing.T) {
	f, compared := commandtest.ConfigFolder(t), 0
	for i, c := range commandtest.ConfigCases {
		data, flags, _ := strings.Cut(c, ": ")
		args := strings.Fields(strings.NewReplacer("VIEWS", f.At("views")).Replace(flags))
		for k := range args {
			args[k] = strings.ReplaceAll(args[k], "|", " ")
		}
		m := f.At(fmt.Sprint("m", i))
		commandtest.Try(append([]string{"train", "--quiet", "-o", m, f.At(data)}, args...)...)
		arrays, words := pageArrays(t)
		p := decodePage(t, []byte(f.Read(filepath.Base(m))), arrays)
		for key := range p.settings {
			if !strings.Contains(words, "`"+key+"`") {
				t.Errorf("%s: the page knows no %s", c, key)
			}
		}
		if data == "two" && !p.several() && p.settings["normalization"].(map[string]any)["kind"] == "multiplicative" && !slices.Contains(args, "--views") && p.f32["vectors"] != nil && p.compare(t, c, m, f) {
			compared++
		}
	}
	if compared < 5 {
		t.Errorf("only %d models were evaluated", compared)
	}
}

// compare evaluates a model of linear, polynomial and Gaussian kernels of all features, and holds the values to those of predict.
func (p *pageFile) compare(t *testing.T, name, path string, f commandtest.Folder) bool {
	for _, spec := range p.settings["kernels"].([]any) {
		if strings.ContainsAny(spec.(string), "@") || strings.Contains(spec.(string), "poly:2..") {
			return false
		}
	}
	list := exportedKernels(t, path)
	d, bias := int(p.settings["features"].(float64)), p.settings["bias"].(float64)
	predicted := strings.Split(commandtest.Must(t, "predict", "--quiet", path, f.At("two")).Stdout, "\n")
	for i, line := range strings.Split(strings.TrimSpace(f.Read("two")), "\n") {
		x := make([]float64, d)
		for _, word := range strings.Fields(line)[1:] {
			j, v, _ := strings.Cut(word, ":")
			k, _ := strconv.Atoi(j)
			x[k-1], _ = strconv.ParseFloat(v, 64)
		}
		for j := range x {
			if o := p.f64["scaling_offset"]; o != nil {
				x[j] -= o[j]
			}
			if s := p.f64["scaling_factor"]; s != nil {
				x[j] *= s[min(j, len(s)-1)]
			}
			x[j] = float64(float32(x[j]))
		}
		sum := bias
		for m, k := range list {
			for s, a := range p.f64["alpha"] {
				product, distance := 0.0, 0.0
				for j, z := range p.f32["vectors"][s*d : (s+1)*d] {
					product, distance = product+x[j]*float64(z), distance+(x[j]-float64(z))*(x[j]-float64(z))
				}
				value := product
				switch k.kind {
				case "poly":
					value = math.Pow(k.gamma*product+k.coef, k.degree)
				case "gauss":
					value = math.Exp(-k.gamma * distance)
				}
				if n := p.f64["normalizer"]; n != nil {
					value *= n[m]
				}
				sum += p.f64["theta"][m] * a * value
			}
		}
		words := strings.Fields(predicted[i])
		if f, _ := strconv.ParseFloat(words[len(words)-1], 64); math.Abs(f-sum) > 1e-4*(1+math.Abs(f)) {
			t.Fatalf("%s: row %d: f(x) = %v by the page, %v by predict", name, i+1, sum, f)
		}
	}
	return true
}

// pageKernel is an expanded kernel.
type pageKernel struct {
	kind                string
	gamma, coef, degree float64
}

// exportedKernels lists the kernels of a model as they expand, which inspect shows.
func exportedKernels(t *testing.T, path string) (list []pageKernel) {
	all := commandtest.Object(t, contract.ExitFine, "inspect", "--all", "--json", path)["heaviest"].([]any)
	list = make([]pageKernel, len(all))
	for _, a := range all {
		k := a.(map[string]any)
		words := strings.Split(strings.Split(k["spec"].(string), " ")[0], ":")
		e := pageKernel{kind: words[0], gamma: 1, coef: 1}
		switch words[0] {
		case "gauss":
			e.gamma, _ = strconv.ParseFloat(words[1], 64)
		case "poly":
			e.degree, _ = strconv.ParseFloat(words[1], 64)
		}
		list[int(k["index"].(float64))] = e
	}
	return list
}
