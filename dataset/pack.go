package dataset

import (
	"bigmkl/internal/dataset/datahash"
)

// learn learns the scaling in passes over the spool.
func (b *builder) learn(kind string, views []View) error {
	s := &b.store
	if kind == ScaleAuto && (b.numbering != nil || len(views) == 0 && b.fewValues()) {
		kind, s.scaling.Choice = ScaleNone, sparseChoice
	}
	s.scaling.Kind = kind
	fill, err := b.learnFill()
	if err != nil {
		return err
	}
	if kind != ScaleNone {
		l := learnerOf(kind, s.d, b.flags, views, b.impute != "")
		for again := true; again; again = l.another(s.n) {
			err := b.eachRow(func(i int, r *Row) error {
				l.add(r.Index, r.Value)
				return nil
			})
			if err != nil {
				return err
			}
		}
		if s.scaling, err = l.finish(s.n); err != nil {
			return err
		}
	}
	s.scaling.Impute, s.scaling.Fill = b.impute, fill
	b.scaler = newScaler(&s.scaling, s.d)
	return nil
}

// learnFill learns the replacement of missing values, nil if none may be missing.
func (b *builder) learnFill() ([]float64, error) {
	if b.impute == "" {
		return nil, nil
	}
	m := newImputer(b.impute, b.store.n, b.store.d)
	err := b.eachRow(func(_ int, r *Row) error {
		m.add(r.Index, r.Value)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m.finish()
}

// fewValues reports whether rows give so few values of so many features that these are not standardised, whatever
// the values are.
func (b *builder) fewValues() bool {
	s := &b.store
	return s.d > manyFeatures && float64(s.size.Nonzeros) < sparseFeatures*float64(s.n)*float64(s.d-b.flags)
}

// reserve chooses the layout and creates the scratch file of the points.
func (b *builder) reserve(dir string, l Layout) error {
	s := &b.store
	nonzeros, size := int64(0), int64(0)
	var err error
	if l == LayoutSparse || l != LayoutDense && s.d > narrow {
		if nonzeros, err = b.nonzeros(); err != nil {
			return err
		}
		s.sparse = l == LayoutSparse || float64(nonzeros) < sparseBelow*float64(s.n)*float64(s.d)
	}
	if s.sparse {
		s.size.Nonzeros = nonzeros // of scaled values from here on
		size, err = csrBytes(s.n, nonzeros)
	} else {
		size, err = panelBytes(s.n, s.d)
	}
	if err != nil {
		return err
	}
	s.size.Sparse, s.size.Points = s.sparse, size
	if b.disk > 0 && s.size.Spool+size > b.disk {
		return &TooLarge{Size: s.size, Limit: b.disk, Lengths: b.spool.lengths, Classes: s.classes}
	}
	return s.create(dir, size, nonzeros)
}

// nonzeros counts the scaled values that are not zero, in one pass over the spool.
func (b *builder) nonzeros() (int64, error) {
	count := int64(0)
	err := b.eachRow(func(i int, r *Row) error {
		count += int64(len(b.scaler.filled))
		for k, j := range r.Index {
			v, ok := b.scaler.apply(int(j), r.Value[k])
			if !ok {
				return b.scaler.overflow(r, k)
			}
			if v != 0 {
				count++
			}
			if b.scaler.zero(int(j)) != 0 {
				count--
			}
		}
		return nil
	})
	return count, err
}

// pack writes the points, and computes means and fingerprint in the same pass.
func (b *builder) pack() error {
	s, c := &b.store, b.scaler
	h := datahash.New(s.n, s.d)
	if o := s.occurring; o != nil {
		h.Occurring(o.Width, o.Index)
	}
	s.size.Nonzeros = 0
	err := b.eachRow(func(i int, r *Row) error {
		if err := c.row(r); err != nil {
			return err
		}
		s.size.Nonzeros += int64(len(c.index))
		h.Row(c.index, c.value)
		if s.sparse {
			s.rows.put(i, c.index, c.value)
			return nil
		}
		panel, lane := s.Panel(i/PanelWidth), i%PanelWidth
		if lane == 0 {
			c.fill(panel, min(PanelWidth, s.n-i))
		}
		for k, j := range r.Index {
			panel[int(j)*PanelWidth+lane] = c.given[k]
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.Targets(s.targets)
	h.Targets(s.uppers)
	s.mean, s.fingerprint = c.mean(s.n), h.Sum(s.labels, s.classes, s.weights)
	return nil
}

// tooLarge returns the error for rows that were only counted. It assumes the worst, because it is
// not known how many of their values are zero before and after scaling.
func (b *builder) tooLarge(kind string, l Layout) error {
	s := b.store.size
	all := int64(s.Rows) * int64(s.Features)
	// Zeros may become something else.
	moved := kind == ScaleMinMax || kind == ScaleStandard ||
		kind == ScaleAuto && float64(s.Nonzeros) >= sparseFeatures*float64(all)
	s.Sparse = l == LayoutSparse || l != LayoutDense && s.Features > narrow && !moved &&
		float64(s.Nonzeros) < sparseBelow*float64(all)
	var err error
	switch {
	case !s.Sparse:
		s.Points, err = panelBytes(s.Rows, s.Features)
	case moved:
		s.Nonzeros = all
		s.Points, err = csrBytes(s.Rows, all)
	default:
		s.Points, err = csrBytes(s.Rows, s.Nonzeros)
	}
	if err != nil {
		return err
	}
	lengths := b.spool.lengths
	if moved {
		lengths = Lengths{s.Features: s.Rows}
	}
	return &TooLarge{Size: s, Limit: b.disk, Lengths: lengths, Classes: b.store.classes}
}
