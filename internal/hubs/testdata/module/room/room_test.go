package room

func (h Hub) check() {}
