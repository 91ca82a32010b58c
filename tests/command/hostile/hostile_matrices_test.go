package hostile

import (
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
	"bigmkl/tests/commandtest"
)

// TestHostileMatrices: .npy files, and what is in them.
func TestHostileMatrices(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Plain)
	const n = 6
	gram := func(i, j int) float64 {
		if i == j {
			return 2
		}
		return 1 / float64(1+i+j)
	}
	with := func(i, j int, v float64) func(a, b int) float64 {
		return func(a, b int) float64 {
			if a == i && b == j {
				return v
			}
			return gram(a, b)
		}
	}
	le, be := binary.AppendByteOrder(binary.LittleEndian), binary.AppendByteOrder(binary.BigEndian)
	dict := func(descr, fortran, shape string) string {
		return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n"
	}
	good := dict("<f8", "False", "(6, 6)")
	args := []string{"train", "--quiet", "-o", f.At("m"), "--kernels", "precomputed:" + f.At("K"), data}
	// Byte order, order of the elements and version of the format make no difference.
	var want string
	for _, text := range []string{
		npyFile(1, good, numbers64(le, n, gram)), npyFile(2, good, numbers64(le, n, gram)), npyFile(3, good, numbers64(le, n, gram)),
		npyFile(1, dict("<f8", "True", "(6, 6)"), numbers64(le, n, gram)), npyFile(1, dict(">f8", "False", "(6, 6)"), numbers64(be, n, gram)),
		npyFile(2, dict(">f8", "True", "(6, 6)"), numbers64(be, n, gram)), string(numbers64(le, n, gram)),
	} {
		f.File("K", text)
		commandtest.Must(t, args...)
		if want == "" {
			want = f.Read("m")
		}
		if f.Read("m") != want {
			t.Errorf("another model from %q", text[:min(len(text), 80)])
		}
	}
	os.Remove(f.At("m"))
	eight := make([]byte, 8)
	for name, text := range map[string]string{
		"NaN": npyFile(1, good, numbers64(le, n, with(3, 4, math.NaN()))), "infinite": npyFile(1, good, numbers64(le, n, with(0, 0, math.Inf(1)))),
		"asymmetric": npyFile(1, good, numbers64(le, n, with(1, 2, gram(1, 2)+1e-7))), "far from symmetric": npyFile(1, good, numbers64(le, n, with(1, 2, 5))),
		"of five rows": npyFile(1, dict("<f8", "False", "(5, 5)"), numbers64(le, 5, gram)), "of seven rows": npyFile(1, dict("<f8", "False", "(7, 7)"), numbers64(le, 7, gram)),
		"not square": npyFile(1, dict("<f8", "False", "(3, 12)"), numbers64(le, n, gram)), "a vector": npyFile(1, dict("<f8", "False", "(36,)"), numbers64(le, n, gram)),
		"header of 70 kB": npyFile(2, strings.Repeat(" ", 70_000)+good, numbers64(le, n, gram)), "header beyond the file": npyFile(2, good, nil)[:20],
		"header of 4 GB": "\x93NUMPY\x02\x00\xff\xff\xff\xff{", "objects": npyFile(1, dict("|O", "False", "(6, 6)"), []byte("\x80\x03cos\nsystem\n")),
		"a pickle": "\x80\x03cos\nsystem\nq\x00X\x02\x00\x00\x00idq\x01\x85q\x02Rq\x03.", "structures": npyFile(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6, 6), }", numbers64(le, n, gram)),
		"integers": npyFile(1, dict("<i8", "False", "(6, 6)"), numbers64(le, n, gram)), "shape beyond the file": npyFile(1, dict("<f8", "False", "(6, 7)"), numbers64(le, n, gram)),
		"shape of more than memory": npyFile(1, dict("<f8", "False", "(2147483647, 6)"), eight), "product that overflows": npyFile(1, dict("<f8", "False", "(4294967296, 4294967296)"), eight),
		"product that wraps to 8": npyFile(1, dict("<f8", "False", "(2147483647, 2147483647)"), eight), "negative shape": npyFile(1, dict("<f8", "False", "(-6, -6)"), numbers64(le, n, gram)),
		"version 4": npyFile(4, good, numbers64(le, n, gram)), "cut short": npyFile(1, good, numbers64(le, n, gram))[:200], "empty": "",
		"no rows": npyFile(1, dict("<f8", "False", "(0, 6)"), nil), "bytes behind": npyFile(1, good, append(numbers64(le, n, gram), 0)),
	} {
		bad := f.File("K", text)
		used := heaptest.Allocated(func() {
			commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: contract.ExitInput, Want: bad + ": "})
		})
		if used > 64<<20 {
			t.Errorf("%s: %d MiB allocated", name, used>>20)
		}
	}
	f.File("K", npyFile(1, good, numbers64(le, n, func(i, j int) float64 { return -gram(i, j) })))
	if o := commandtest.Try(append(args, "--normalize", "none")...); o.Code != contract.ExitFine || !strings.Contains(o.Stderr, "is indefinite here: weight 0") {
		t.Errorf("a matrix that is not positive: exit code %d, %s", o.Code, o.Stderr)
	}
}

// npyFile is a .npy file of any kind.
func npyFile(version int, dict string, numbers []byte) string {
	b := []byte("\x93NUMPY")
	b = append(b, byte(version), 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return string(append(append(b, dict...), numbers...))
}

// numbers64 are the elements of an n x n matrix, row by row.
func numbers64(order binary.AppendByteOrder, n int, value func(i, j int) float64) []byte {
	var b []byte
	for i := range n {
		for j := range n {
			b = order.AppendUint64(b, math.Float64bits(value(i, j)))
		}
	}
	return b
}
