package objects

import "bigmkl/dataset"

// The methods of this file make the objects of a kind points of their scaled features, as a store has them.

// Len returns the number of objects.
func (k *Kind) Len() int { return k.Count }

// Row copies the features of object i to dst.
func (k *Kind) Row(i int, dst []float32) { copy(dst, k.Values[i*k.Dim:(i+1)*k.Dim]) }

// Panel returns the features of 32 objects as a panel of dataset.Store.
func (k *Kind) Panel(p int) []float32 {
	panel := make([]float32, k.Dim*dataset.PanelWidth)
	for lane := range min(dataset.PanelWidth, k.Count-p*dataset.PanelWidth) {
		i := p*dataset.PanelWidth + lane
		for j, x := range k.Values[i*k.Dim : (i+1)*k.Dim] {
			panel[j*dataset.PanelWidth+lane] = x
		}
	}
	return panel
}

// Points are the objects of a kind as points of their scaled features.
type Points struct{ *Kind }

// Dim returns the number of features.
func (p Points) Dim() int { return p.Kind.Dim }

// Mean returns the mean of each feature.
func (p Points) Mean() []float32 {
	d := p.Kind.Dim
	sum := make([]float64, d)
	for i := range p.Count {
		for j, x := range p.Values[i*d : (i+1)*d] {
			sum[j] += float64(x)
		}
	}
	mean := make([]float32, d)
	for j := range mean {
		mean[j] = float32(sum[j] / float64(max(1, p.Count)))
	}
	return mean
}
