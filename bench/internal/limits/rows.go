package limits

// limitRow is one limit of the host.
type limitRow struct {
	What string `json:"what" table:"limit"`
	// Rates are in Unit, by processor time on one thread.
	One float64 `json:"one_thread" table:"one thread|%.1f"`
	// Wall is set where CPU time is the better measure.
	Wall float64 `json:"one_thread_wall" table:"by wall clock|%.1f|blank"`
	All  float64 `json:"all_threads" table:"all threads, wall clock|%.1f|blank"`
	Unit string  `json:"unit" table:"unit"`
	How  string  `json:"how" table:"how"`
}

// routineRow is a routine beside its bound. Rate, Wall and Bound are in Unit. Share is Rate divided by
// Bound, as the median over samples.
type routineRow struct {
	Routine string  `json:"routine" table:"routine"`
	Type    string  `json:"type" table:"type"`
	Shape   string  `json:"shape" table:"shape"`
	Rate    float64 `json:"rate" table:"per second of CPU time|%.2f"`
	Wall    float64 `json:"wall_rate" table:"of wall clock|%.2f"`
	Unit    string  `json:"unit" table:"unit"`
	Bound   float64 `json:"bound" table:"bound|%.2f"`
	// By names the bound, such as the peak or a number of operations.
	By      string  `json:"bound_by" table:"given by"`
	Share   float64 `json:"share_percent" table:"share of the bound|%.1f %%"`
	Floor   float64 `json:"floor_percent,omitempty" table:"floor|%.0f %%|blank"`
	Verdict string  `json:"verdict,omitempty" table:"verdict"`
}

// MetOrNot reports whether a floor is met.
func MetOrNot(met bool) string {
	if met {
		return "met"
	}
	return "not met"
}
