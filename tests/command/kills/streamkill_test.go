package kills

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestStreamKilled kills streams at random moments and resumes them with the rows that their states do not have: the last
// model has the bytes of the model of a stream that was not disturbed.
func TestStreamKilled(t *testing.T) {
	const rows, every = 2000, 100
	text := strings.SplitAfter(commandtest.Text(rows, 1), "\n")
	for i := range text[:rows] { // A fourth class comes late.
		_, features, _ := strings.Cut(text[i], " ")
		text[i] = string("abcd"[i%3+i/1200]) + " " + features
	}
	for _, problem := range testlevel.Some(t, "", 1, [][]string{
		{"--multiclass", "ovr"}, {"--multiclass", "labels", "--refresh", "700"}, {"--positive", "b,c"},
	}) {
		f := commandtest.KillFolder(t)
		options := append([]string{"train", "--quiet", "--stream", "--every", fmt.Sprint(every), "--window", "600", "--kernels", "gauss:auto/6,linear"}, problem...)
		all := f.File("all", strings.Join(text, ""))
		began := time.Now()
		commandtest.Must(t, append(options, "-o", f.At("whole"), all)...)
		took := time.Since(began)
		seed := rand.Uint64()
		t.Logf("%v: seed %d", problem, seed)
		rng := rand.New(rand.NewPCG(seed, 9))
		saved := append(options, "--checkpoint-every", "1ms", "--resume", "-o", f.At("m"))
		resumed := 0
		for run := range commandtest.Kills(t) {
			folder := f.At(fmt.Sprint("state", run))
			c, _ := commandtest.Complaining(append(saved, "--checkpoint", folder, all)...)
			var stdout bytes.Buffer
			c.Stdout = &stdout
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			kill := time.AfterFunc(time.Duration(rng.Int64N(int64(took)+1)), func() { c.Process.Kill() })
			c.Wait()
			kill.Stop()
			// A line follows the state, so the state has the rows of the last line or one batch more.
			done := strings.Count(stdout.String(), "\n") * every
			if done == 0 || done >= rows-every {
				continue
			}
			same := false
			for _, from := range []int{done, done + every} {
				state := fmt.Sprint(folder, "-", from)
				if err := os.CopyFS(state, os.DirFS(folder)); err != nil {
					t.Fatal(err)
				}
				rest := f.File("rest", strings.Join(text[from:], ""))
				commandtest.Must(t, append(saved, "--checkpoint", state, rest)...)
				same = same || f.Read("m") == f.Read("whole")
			}
			if !same {
				t.Errorf("%v: another model after %d rows in %s", problem, done, filepath.Base(folder))
			}
			resumed++
		}
		t.Logf("%v: %d resumed", problem, resumed)
		commandtest.Must(t, "verify", "--quiet", f.At("whole"), f.File("last", strings.Join(text[rows-600:], "")))
	}
}
