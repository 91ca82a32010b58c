package commandtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
)

// ThreeClasses is text of n rows around three points.
func ThreeClasses(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d 1:%g 2:%g\n", i%3, float64(i%3)+0.01*float64(i), math.Sin(float64(i))+float64(i%3%2))
	}
	return b.String()
}

// PythonWith returns a Python that has a module, or "".
func PythonWith(module string) string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import "+module).Run() == nil {
			return path
		}
	}
	return ""
}

// Clusters is n rows of as many classes as named, which lie around a place each.
func Clusters(n, classes int) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(3, 1))
	for i := range n {
		c := i % classes
		fmt.Fprintf(&b, "%d 1:%.3f 2:%.3f 3:%.3f\n", c, float64(c)+0.3*r.NormFloat64(), float64(c*c%classes)+0.3*r.NormFloat64(), r.NormFloat64())
	}
	return b.String()
}

// Grouped is rows of so many classes, of sets of labels or with targets.
func Grouped(n, classes int, kind string) string {
	var b strings.Builder
	for i := range n {
		k := i % classes
		label := fmt.Sprint(k)
		switch kind {
		case "labels":
			label += fmt.Sprintf(",%d", (k+1)%classes)
		case "svr", "square":
			label = fmt.Sprint(float64(k) + 0.25)
		}
		angle := 2*math.Pi*float64(k)/float64(classes) + 0.3*math.Sin(float64(7*i))
		fmt.Fprintf(&b, "%s 1:%.6f 2:%.6f 3:%.6f\n", label, math.Cos(angle), math.Sin(angle), 0.3*math.Cos(float64(3*i)))
	}
	return b.String()
}
