package other

type T int

func (T) Do() {}
