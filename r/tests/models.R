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
# A list of many kernels is cut where it is printed, and nowhere else.
many <- found
many$means$kernels[1] <- strrep("gauss:1@expr,", 30)
stopifnot(all(nchar(capture.output(print(many))) < 90), nchar(many$means$kernels[1]) == 390)
print(summary(dense))

# Messages of the command are errors of R.
fails(bigmkl(views, y, kernels = "nosuch"), "nosuch")
fails(bigmkl(views, y[-1]), "79 values for 80 rows")

# The certificate in words, and names of rows in predictions.
checked <- verify(dense, views, y)
stopifnot(is.list(checked), grepl("^primal .*, relative gap .* over 80 rows: recomputed from the data, and the model file agrees \\(relative gap ", capture.output(print(checked))))
stopifnot(grepl("estimated from a sample, whose errors allow gaps from [-0-9.e]+ to [0-9.e-]+; the model claims \\(", capture.output(print(verify(dense, views, y, sample = 20)))))
three <- bigmkl(Species ~ ., iris, kernels = "gauss:auto")
stopifnot(grepl("^3 classifiers: primal .* up to .* over 150 rows", capture.output(print(verify(three, Species ~ ., iris)))))
named <- iris[c(1, 60, 140), ]
rownames(named) <- c("p1", "p2", "p3")
stopifnot(identical(names(predict(three, named)), rownames(named)), identical(rownames(predict(three, named, "decision")), rownames(named)),
          identical(names(predict(three, iris[60:61, ])), c("60", "61")))

# Rows of views and y are found by their names.
ids <- sprintf("p%02d", seq_len(n))
called <- lapply(views, function(v) { rownames(v) <- ids; v })
mixed_up <- list(expr = called$expr, mut = called$mut[n:1, ])
turn <- sample(n)
for (each in list(mixed_up, list(expr = called$expr, mut = as.data.frame(called$mut)[turn, ]))) {
  ordered <- bigmkl(each, setNames(y, ids)[turn], kernels = "gauss:auto/2@expr,linear@mut", store = "dense")
  stopifnot(identical(ordered$model, dense$model))
  stopifnot(identical(predict(dense, each, "decision"), setNames(predict(dense, views, "decision"), ids)))
  stopifnot(identical(names(predict(dense, each[2:1])), rownames(each$mut)))
  stopifnot(length(verify(dense, each, setNames(y, ids)[turn])$faults) == 0)
}
back <- select_bigmkl(mixed_up, setNames(y, ids)[turn], kernels = "gauss:auto@each-view", norms = 1, costs = 1, folds = 3)
stopifnot(identical(back$means, select_bigmkl(views, y, kernels = "gauss:auto@each-view", norms = 1, costs = 1, folds = 3)$means))
other <- called
rownames(other$mut)[7] <- "q07"
fails(bigmkl(other, y), "view mut has no row \"p07\", which view expr has")
fails(predict(dense, other), "view mut has no row \"p07\"")
fails(bigmkl(called, setNames(y, sub("p03", "z", ids))), "y has no row \"p03\"")
rownames(other$mut)[7] <- "p08"
fails(bigmkl(other, y), "two rows are called \"p08\"")
numbered <- lapply(views, function(v) { rownames(v) <- seq_len(n) + 100; v })
fails(bigmkl(list(expr = numbered$expr, mut = numbered$mut[n:1, ]), y), "names of rows are numbers")
# Numbers that R itself gives to the rows of a data frame say nothing of the objects.
frames <- lapply(views, as.data.frame)
stopifnot(identical(bigmkl(list(expr = frames$expr[turn, ], mut = frames$mut[turn, ][n:1, ]), y, kernels = "gauss:auto@each-view")$model,
                    bigmkl(list(expr = views$expr[turn, ], mut = views$mut[turn, ][n:1, ]), y, kernels = "gauss:auto@each-view")$model))

# Columns that name the rows, and a formula that leaves one out. New rows do not need it.
strange <- cbind(iris, id = paste0("flower", 1:150), `odd name` = rnorm(150), day = as.Date("2020-01-01") + 1:150)
fails(bigmkl(Species ~ . - day, strange), "column id has a word of its own in nearly every row, such as \"flower1\"")
fails(bigmkl(strange[c(1, 8)], strange$Species), "column day .*as.numeric")
fails(bigmkl(list(a = views$expr, b = data.frame(id = ids, k = 1)), y), "column b\\$id")
fails(importance(strange[1:6], strange$Species), "column id")
without <- bigmkl(Species ~ . - id - day, strange, kernels = "gauss:auto")
stopifnot(length(predict(without, strange[c(1:5, 7)])) == 150)
fails(bigmkl(Species ~ 1, iris), "no columns")
left <- bigmkl(strange[c(1:4, 6)], strange$Species, id = "id", kernels = "gauss:auto")
stopifnot(left$about$d == 4, identical(unname(predict(left, strange)), unname(predict(bigmkl(iris[1:4], iris$Species, kernels = "gauss:auto"), iris))))

# Default kernels, and names of columns that give views.
said <- function(expression) tryCatch({ expression; "" }, message = conditionMessage)
stopifnot(grepl("the views Sepal, Petal: kernels = \"gauss:auto/10@each-view\"", said(bigmkl(Species ~ ., iris))),
          grepl("as.data.frame", said(bigmkl(as.matrix(iris[1:4]), iris$Species))),
          said(bigmkl(mpg ~ ., mtcars)) == "", said(bigmkl(Species ~ ., iris, kernels = "linear")) == "")
by_view <- bigmkl(list(expr = views$expr, clinic = data.frame(age = views$mut[, 1], sex = factor(rep(c("f", "m"), each = n / 2)))), y)
stopifnot(identical(summary(by_view)$weights$name, c("expr", "clinic")))

# Times of events, by the objects of the package survival, and relative hazards.
if (requireNamespace("survival", quietly = TRUE)) {
  Surv <- survival::Surv
  veteran <- survival::veteran
  model <- bigmkl(Surv(time, status) ~ age + karno + celltype, veteran, kernels = "gauss:auto")
  months <- predict(model, veteran)
  stopifnot(model$task == "survival", all(months > 0), length(verify(model, Surv(time, status) ~ age + karno + celltype, veteran)$faults) == 0)
  x <- veteran[c("age", "karno", "celltype")]
  signed <- ifelse(veteran$status == 1, veteran$time, -veteran$time)
  stopifnot(identical(bigmkl(x, signed, kernels = "gauss:auto", task = "survival")$model, bigmkl(x, Surv(veteran$time, veteran$status), kernels = "gauss:auto")$model))
  hazard <- bigmkl(x, Surv(veteran$time, veteran$status), kernels = "gauss:auto", task = "cox")
  risk <- predict(hazard, x)
  curves <- predict(hazard, x, "survival", times = c(30, 90, 365))
  stopifnot(survival::concordance(Surv(time, status) ~ risk, veteran, reverse = TRUE)$concordance > 0.65, identical(colnames(curves), c("30", "90", "365")),
            all(curves[, 1] >= curves[, 2] & curves[, 2] >= curves[, 3]), cor(risk, curves[, 2], method = "spearman") < -0.99)
  # With one linear kernel it is the ridge regression of coxph, weights of rows and all.
  numbers <- scale(as.matrix(veteran[c("age", "karno", "diagtime")]))
  plain <- bigmkl(numbers, Surv(veteran$time, veteran$status), kernels = "linear", normalize = "none", scale = "none", task = "cox", C = 2, gap = 1e-6)
  peer <- survival::coxph(Surv(time, status) ~ survival::ridge(numbers[, 1], numbers[, 2], numbers[, 3], theta = 0.5, scale = FALSE), veteran)
  stopifnot(all(abs(predict(plain, numbers) - drop(scale(numbers %*% coef(peer), scale = FALSE))) < 1e-3))
  # Bounds of times.
  lower <- c(NA, 6, 12, 3, 5)
  bounds <- Surv(lower, c(6, 12, NA, 3, 9), type = "interval2")
  stopifnot(identical(as.character(unclass(bigmkl:::words_of_times(bounds))), c("..6", "6..12", "12+", "3", "5..9")),
            identical(as.character(unclass(bigmkl:::words_of_times(Surv(c(2, 3), c(1, 0), type = "left")))), c("2", "..3")))
  fails(bigmkl(x, Surv(veteran$time, veteran$time + 1, veteran$status)), "type \"counting\"")
  fails(bigmkl(x, Surv(veteran$time, veteran$status), task = "svr"), "times of events are for")
  fails(bigmkl(x, Surv(c(NA, veteran$time[-1]), veteran$status)), "missing")
  fails(predict(hazard, x, "survival"), "times belong")
  stopifnot(select_bigmkl(x, Surv(veteran$time, veteran$status), kernels = "gauss:auto", norms = 1, costs = 1, folds = 3)$measure == "c_index")
}

# Rankings of groups.
relevance <- as.integer(iris$Species) - 1
query <- rep(c("a", "b", "c"), 50)
ranking <- bigmkl(iris[1:4], relevance, task = "rank", group = query, kernels = "gauss:auto", C = 0.1)
stopifnot(cor(predict(ranking, iris[1:4]), relevance) > 0.8, length(verify(ranking, iris[1:4], relevance, query)$faults) == 0)
stopifnot(select_bigmkl(iris[1:4], relevance, kernels = "gauss:auto", norms = 1, costs = 0.1, folds = 3, task = "rank", group = query)$measure == "ndcg")
fails(bigmkl(iris[1:4], relevance, task = "rank", group = query[-1]), "149 values for 150 rows")
fails(bigmkl(iris[1:4], relevance, group = query), "groups are for task")
