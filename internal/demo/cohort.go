package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

const (
	cohortGenes     = 20
	cohortMutations = 8
	// cohortFollow is the longest follow-up in months.
	cohortFollow = 60
)

// cohort generates a table of n patients of a study: months until a relapse or the end of the follow-up, whether there was a
// relapse, and three sources: two clinical findings, genes and mutations. The logarithm of the time falls with the age beyond 55
// and with the square of a sum of genes. Mutations are noise. Three patients in five are censored.
func cohort(n int, stream uint64) string {
	r := rand.New(rand.NewPCG(2007, stream))
	var b strings.Builder
	b.WriteString("months,relapse,clinical.age,clinical.stage")
	for k := range cohortGenes {
		fmt.Fprintf(&b, ",rna.g%d", k+1)
	}
	for k := range cohortMutations {
		fmt.Fprintf(&b, ",mutation.m%d", k+1)
	}
	b.WriteByte('\n')
	for range n {
		age, stage := math.Round(60+10*r.NormFloat64()), 1+r.IntN(4)
		genes, pathway := make([]float64, cohortGenes), 0.0
		for k := range genes {
			if genes[k] = r.NormFloat64(); k < 4 {
				pathway += genes[k] / 2
			}
		}
		months := 200 * math.Exp(-0.04*max(0, age-55)-0.25*float64(stage-1)-0.8*pathway*pathway+0.3*math.Log(r.ExpFloat64()))
		end, relapse := min(cohortFollow, 5+100*r.Float64()), "yes"
		if months > end {
			months, relapse = end, "no"
		}
		fmt.Fprintf(&b, "%.1f,%s,%.0f,%d", max(months, 0.1), relapse, age, stage)
		for _, x := range genes {
			fmt.Fprintf(&b, ",%.2f", x)
		}
		for range cohortMutations {
			fmt.Fprintf(&b, ",%d", r.IntN(8)/7)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
