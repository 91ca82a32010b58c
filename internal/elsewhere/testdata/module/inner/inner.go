package inner

const Size = 1
