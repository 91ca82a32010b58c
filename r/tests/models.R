# Models of all kinds of data, where the command is.
library(bigmkl)
if (inherits(try(bigmkl_command(), silent = TRUE), "try-error")) {
  cat("the command bigmkl was not found: models are not tested\n")
  quit("no")
}
fails <- function(expression, pattern) {
  found <- tryCatch({ expression; "" }, error = conditionMessage)
  if (!grepl(pattern, found)) stop("the message is: ", found, ", without ", pattern)
}

# Three classes by formula; columns in another order, and one that is missing.
model <- bigmkl(Species ~ ., iris)
classes <- predict(model, iris[, 5:1])
stopifnot(is.factor(classes), identical(levels(classes), levels(iris$Species)), mean(classes == iris$Species) > 0.95)
decisions <- predict(model, iris, "decision")
stopifnot(identical(colnames(decisions), levels(iris$Species)), all(levels(iris$Species)[max.col(decisions)] == classes))
fails(predict(model, iris[, -1]), "Sepal.Length")
stopifnot(length(verify(model, Species ~ ., iris)$faults) == 0)

# A model outlives its session.
file <- tempfile()
saveRDS(model, file)
stopifnot(identical(predict(readRDS(file), iris), classes))

# Two classes with blanks in their names, probabilities and sets; the decision is above 0 for the second.
two <- iris[51:150, ]
y <- factor(ifelse(two$Species == "virginica", "a, b", "z y"), levels = c("z y", "a, b"))
model <- bigmkl(as.matrix(two[, 1:4]), y, kernels = "gauss:auto/3", probability = TRUE, conformal = "folds:5", class_weight = c("a, b" = 2))
p <- predict(model, as.matrix(two[, 1:4]), "probability")
f <- predict(model, as.matrix(two[, 1:4]), "decision")
stopifnot(identical(colnames(p), levels(y)), all(abs(rowSums(p) - 1) < 1e-5), all((f > 0) == (predict(model, as.matrix(two[, 1:4])) == "a, b")), cor(f, p[, 2]) > 0.8)
sets <- predict(model, as.matrix(two[, 1:4]), "set", coverage = 0.95)
stopifnot(identical(dim(sets), c(100L, 2L)), mean(sets[cbind(1:100, as.integer(y))]) >= 0.9)
fails(predict(model, as.matrix(two[, 1:4]), "interval"), "sets")

# Factors, truth values and missing values.
cars <- transform(mtcars, cyl = factor(cyl), am = am == 1, name = factor(rep(c("x", "y z"), 16)))
model <- bigmkl(mpg ~ ., cars, conformal = "folds:4")
i <- predict(model, cars, "interval", coverage = 0.8)
stopifnot(identical(colnames(i), c("fit", "low", "high")), all(i[, "low"] < i[, "fit"] & i[, "fit"] < i[, "high"]), cor(i[, "fit"], cars$mpg) > 0.8)
cars$wt[3] <- NA
cars$cyl[5] <- NA
fails(bigmkl(mpg ~ ., cars), "impute|missing")
stopifnot(cor(predict(bigmkl(mpg ~ ., cars, impute = "median"), cars), cars$mpg) > 0.7)

# Views: sparse and dense, in another order at prediction; the same numbers in other forms give the same bytes.
set.seed(1)
n <- 80
y <- factor(rep(c("no", "yes"), n / 2))
views <- list(expr = matrix(rnorm(n * 5), n) + as.integer(y), mut = matrix(rbinom(n * 30, 1, 0.1), n))
dense <- bigmkl(views, y, kernels = "gauss:auto/2@expr,linear@mut", store = "dense")
if (requireNamespace("Matrix", quietly = TRUE)) {
  sparse <- bigmkl(list(expr = views$expr, mut = Matrix::Matrix(views$mut, sparse = TRUE)), y, kernels = "gauss:auto/2@expr,linear@mut", store = "dense")
  stopifnot(identical(dense$model, sparse$model))
}
stopifnot(identical(predict(dense, views[2:1]), predict(dense, views)), nrow(summary(dense)$weights) == 2)
fails(predict(dense, views[1]), "mut")
mixed <- bigmkl(list(expr = views$expr, clinic = data.frame(age = rnorm(n), sex = factor(rep(c("f", "m"), each = n / 2)))), y, kernels = "gauss:auto@each-view")
stopifnot(identical(summary(mixed)$weights$name, c("expr", "clinic")))

# One class, selection and importance.
one <- predict(bigmkl(views$expr), views$expr)
stopifnot(is.logical(one), any(one))
found <- select_bigmkl(views, y, kernels = "gauss:auto@each-view", norms = c(1, 2), costs = 1, folds = 3)
stopifnot(!is.unsorted(-found$means$mean), mean(predict(found$best, views) == y) > 0.7)
weights <- importance(views, y, kernels = "gauss:auto@each-view", norm = 2, grid_C = 1, folds = 3)
stopifnot(identical(weights$sources$source, c("expr", "mut")), weights$sources$left_out[1] > weights$sources$left_out[2])
pdf(NULL)
plot(weights)
plot(dense)
print(weights)
print(found)
print(summary(dense))

# Messages of the command are errors of R.
fails(bigmkl(views, y, kernels = "nosuch"), "nosuch")
fails(bigmkl(views, y[-1]), "79 values for 80 rows")
