package room

import "context"

type Hub struct{}

type List[T any] struct{}

func New(h Hub) *Hub { return &h }

func use(ctx context.Context, h *Hub, n int) {}

func (h *Hub) Do() {}

func (l *List[T]) Len() int { return 0 }

func newOther(h *Hub) int { return 0 }
