package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// benchText is about 4 MB of rows of one of three kinds of data: small integers as in images, binary features, and
// fractions of six digits.
func benchText(kind string) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < 4<<20 {
		fmt.Fprintf(&b, "%d", rng.IntN(10))
		for j := 1 + rng.IntN(5); j < 780; j += 1 + rng.IntN(9) {
			switch kind {
			case "integers":
				fmt.Fprintf(&b, " %d:%d", j, 1+rng.IntN(255))
			case "binary":
				fmt.Fprintf(&b, " %d:1", j)
			case "fractions":
				fmt.Fprintf(&b, " %d:%.6f", j, rng.Float64())
			case "full":
				fmt.Fprintf(&b, " %d:%v", j, rng.NormFloat64())
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func BenchmarkReader(b *testing.B) {
	for _, kind := range []string{"integers", "binary", "fractions", "full"} {
		b.Run(kind, func(b *testing.B) {
			data := benchText(kind)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader(bytes.NewReader(data), "bench", ReadOptions{})
				for {
					if _, err := r.Next(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	data := benchText("integers")
	b.SetBytes(int64(len(data)))
	for _, scale := range []string{ScaleNone, ScaleStandard} {
		b.Run(scale, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				s, err := Build(context.Background(), NewReader(bytes.NewReader(data), "bench", ReadOptions{}),
					StoreOptions{Dir: b.TempDir(), Scale: scale})
				if err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
		})
	}
}
