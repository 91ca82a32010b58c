module elsewhere

go 1.26
