package command

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
)

// newProcess is a command line of the command as a process of its own.
func newProcess(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1")
	return c
}

// cloud writes rows of size bytes in all: of so many of d features each, with numbers of so many digits, in two classes that
// overlap a little. Rows come from a pool.
type cloud struct {
	size    int64
	d, each int
	digits  int
}

func (c cloud) write(w io.Writer) (rows int, err error) {
	const pool = 3000
	rng := rand.New(rand.NewPCG(1, 2))
	var lines [][]byte
	for i := range pool {
		y := 1 - 2*(i%2)
		line := fmt.Appendf(nil, "%+d", y)
		for _, j := range c.features(rng) {
			line = fmt.Appendf(line, " %d:%.*g", j+1, c.digits, rng.NormFloat64()+0.15*float64(y))
		}
		lines = append(lines, append(line, '\n'))
	}
	out := bufio.NewWriterSize(w, 1<<20)
	for written := int64(0); written < c.size; rows++ {
		n, err := out.Write(lines[rows%pool])
		if err != nil {
			return rows, err
		}
		written += int64(n)
	}
	return rows, out.Flush()
}

// features chooses those of a row, ascending.
func (c cloud) features(rng *rand.Rand) []int {
	if c.each == c.d {
		all := make([]int, c.d)
		for j := range all {
			all[j] = j
		}
		return all
	}
	list := rng.Perm(c.d)[:c.each]
	slices.Sort(list)
	return list
}
