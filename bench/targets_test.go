package main

import (
	"strings"
	"testing"
)

func TestAbsentDataAreNamed(t *testing.T) {
	r := found(t, t.TempDir(), "targets", "--only", "sonar,pass")
	for _, row := range r.Tables[0].Rows {
		if row["verdict"] != "not measured" || !strings.Contains(row["how"].(string), "is absent: no ") {
			t.Errorf("%v", row)
		}
	}
}

func TestStringRowsOnTinyData(t *testing.T) {
	r := found(t, "", "strings", "--quick", "--points", "60")
	if len(r.Tables[0].Rows) != 4 {
		t.Fatalf("%+v", r)
	}
	for i, row := range r.Tables[0].Rows {
		certified(t, row)
		if hits := row["memory_hits"].(float64) + row["disk_hits"].(float64); (hits > 0) != (i > 0) {
			t.Errorf("%v: %v hits", row["cache"], hits)
		}
		if row["primal"] != r.Tables[0].Rows[0]["primal"] {
			t.Errorf("%v: another primal value", row["cache"])
		}
	}
}

func TestCacheTierOnTinyData(t *testing.T) {
	r := found(t, "", "cachetier", "--points", "300", "--features", "30", "--memory", "60")
	if len(r.Tables[0].Rows) != 3 {
		t.Fatalf("%+v", r)
	}
	for i, row := range r.Tables[0].Rows {
		certified(t, row)
		if want := []string{"never", "auto", "always"}[i]; row["cache"] != want {
			t.Errorf("%v, want %s", row["cache"], want)
		}
	}
}
