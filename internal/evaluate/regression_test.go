package evaluate

import (
	"math"
	"testing"
)

func TestErrors(t *testing.T) {
	var e Errors
	if !math.IsNaN(e.RMSE()) || !math.IsNaN(e.MAE()) || !math.IsNaN(e.R2()) {
		t.Error("errors of no rows are defined")
	}
	for _, p := range [][2]float64{{1, 2}, {3, 3}, {4, 1}} {
		e.Add(p[0], p[1])
	}
	// Errors -1, 0, 3; targets 2, 3, 1 with mean 2.
	if e.Len() != 3 || math.Abs(e.RMSE()-math.Sqrt(10.0/3)) > 1e-15 || math.Abs(e.MAE()-4.0/3) > 1e-15 || math.Abs(e.R2()-(1-10.0/2)) > 1e-15 {
		t.Errorf("RMSE %v, MAE %v, R2 %v", e.RMSE(), e.MAE(), e.R2())
	}
}
