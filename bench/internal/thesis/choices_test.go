package thesis

import "testing"

func TestChoicesAreValidAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range listChoices() {
		if err := c.tuning.Validate(); err != nil {
			t.Errorf("%s %s: %v", c.name, c.value, err)
		}
		if seen[c.name+c.value] {
			t.Errorf("%s %s twice", c.name, c.value)
		}
		seen[c.name+c.value] = true
	}
}
