package models

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/tests/commandtest"
)

// TestEveryRowIsAnEvent: a training of times in a table reports that all rows are events if no option names the column of events, which is then
// a feature.
func TestEveryRowIsAnEvent(t *testing.T) {
	f := commandtest.NewFolder(t)
	text := "months,relapse,x\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,%d,%d\n", 3+7*i%11, i%2, i)
	}
	data := f.File("rows.csv", text)
	train := func(more ...string) string {
		return commandtest.Must(t, append([]string{"train", "--time", "months", "-o", f.At("m"), data}, more...)...).Stdout
	}
	const line = "\nevery row is an event: --event COLUMN"
	for _, task := range []string{"survival", "cox"} {
		if text := train("--task", task); !strings.Contains(text, line) {
			t.Errorf("%s without a column of events:\n%s", task, text)
		}
		if text := train("--task", task, "--event", "relapse"); strings.Contains(text, line) {
			t.Errorf("%s with a column of events:\n%s", task, text)
		}
	}
}
