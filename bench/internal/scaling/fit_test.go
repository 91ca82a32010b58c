package scaling

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestFitOfAnExactLaw(t *testing.T) {
	var x, y []float64
	for _, v := range []float64{1, 2, 5, 30, 1000} {
		x, y = append(x, v), append(y, 3*math.Pow(v, 1.7))
	}
	x, y = append(x, 0, 7), append(y, 4, 0) // no logarithms
	f := fitPower(x, y)
	if math.Abs(f.exponent-1.7) > 1e-12 || math.Abs(f.factor-3) > 1e-11 || math.Abs(f.quality-1) > 1e-12 || f.points != 5 {
		t.Errorf("%+v", f)
	}
	if math.Abs(f.at(2)-y[1]) > 1e-11 {
		t.Errorf("%g at 2, want %g", f.at(2), y[1])
	}
	if f := fitPower([]float64{2, 2}, []float64{1, 3}); f.points != 0 {
		t.Errorf("a law through one x: %+v", f)
	}
	if f := fitPower([]float64{1, 10}, []float64{5, 5}); f.exponent != 0 || f.quality != 1 {
		t.Errorf("constant: %+v", f)
	}
}

func TestPlotIsXML(t *testing.T) {
	var b bytes.Buffer
	p := curveFigure{
		{"points", "seconds", []float64{1000, 2000, 60000}, []float64{0.2, 0.6, 47}}, {"points", "memory, MiB", []float64{1000, 2000}, []float64{50, 50}},
	}
	if err := p.write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"<svg", "seconds ~ points^", ">2000<", ">50<"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the plot", want)
		}
	}
}
