package predict

import (
	"context"
	"sync"
)

// keeper holds the preparation of the last prediction of a model.
type keeper struct {
	mu   sync.Mutex
	made *prepared
	of   keptFor
}

// keptFor holds the options that a preparation depends on.
type keptFor struct {
	threads                   int
	memory, kept              int64
	probability, left, sorted bool
}

// Keep makes a model keep the preparation of Predict for the next call with the same threads, memory,
// probabilities and order of quantiles. To prepare takes longer than to predict a few rows. Predictions have the same bits.
// Calls with gates from a file, code of users, new objects or several ranks prepare again.
func (m *Model) Keep() { m.keeper = &keeper{} }

// prepareOnce is prepareModel, or returns the result of an earlier call.
func (m *Model) prepareOnce(ctx context.Context, o Options) (*prepared, error) {
	k := m.keeper
	if k == nil || o.Gates != "" || o.UserKernels != nil || o.Ranks != nil || o.objectsOf(m) != m.Objects {
		return m.prepareModel(ctx, o)
	}
	o.setMemory()
	of := keptFor{o.Threads, o.Memory, o.Kept, o.Probability, o.Left != nil, o.NoCrossing}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made != nil && k.of == of {
		o.limitHeap()
		if o.Left != nil {
			o.Left(k.made.memory.left)
		}
		return k.made, nil
	}
	r, err := m.prepareModel(ctx, o)
	if err == nil && r.gates == nil { // Gates are closed with the call.
		k.made, k.of = r, of
	}
	return r, err
}
