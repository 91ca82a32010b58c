# Arrays come back as they were; this needs no command.
library(bigmkl)
if (requireNamespace("Matrix", quietly = TRUE)) {
  set.seed(3)
  for (dims in list(c(1, 1), c(7, 3), c(40, 200), c(300, 5))) {
    x <- Matrix::rsparsematrix(dims[1], dims[2], 0.2)
    file <- write_npz(x, tempfile(fileext = ".npz"))
    back <- read_npz(file)
    stopifnot(identical(as.matrix(back), unname(as.matrix(x))))
  }
}
x <- matrix(c(1, NA, pi, -0.1, 5e-324, 1e308), 2)
file <- write_npy(x, tempfile())
back <- bigmkl:::read_npy(readBin(file, "raw", file.size(file)))
stopifnot(identical(is.na(back), is.na(x)), identical(back[!is.na(x)], x[!is.na(x)]))
stopifnot(identical(bigmkl:::flags(list(class_weight = c(a = 2), C = 0.1, probability = TRUE, impute = NULL, grid_norm = c(1, 4 / 3))),
                    c("--class-weight", "a=2", "-C", "0.1", "--probability", "--grid-norm", "1,1.3333333333333333")))
for (bad in list(quote(bigmkl:::flags(list(1))), quote(bigmkl:::check_data(1:3)), quote(bigmkl:::check_data(list(matrix(1)))),
                 quote(bigmkl:::check_data(list(a = matrix(1), b = matrix(1:2)))), quote(bigmkl:::from_formula(y ~ a * b, data.frame(y = 1, a = 1, b = 1))),
                 quote(bigmkl:::task_of(1:3, "class")), quote(bigmkl:::task_of(factor(1), "svr")), quote(bigmkl:::read_npy(charToRaw("no array at all")))))
  stopifnot(inherits(try(eval(bad), silent = TRUE), "try-error"))
