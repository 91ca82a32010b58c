package room

func (h Hub) fast() {}
