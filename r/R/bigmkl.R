# Training, prediction and what a model is.

bigmkl <- function(x, ...) UseMethod("bigmkl")

bigmkl.formula <- function(formula, data, ...) {
  parts <- from_formula(formula, data)
  model <- bigmkl.default(parts$x, parts$y, ...)
  model$terms <- parts$terms
  model$call <- match.call()
  model
}

bigmkl.default <- function(x, y = NULL, kernels = NULL, C = NULL, norm = NULL, task = NULL, probability = FALSE, conformal = NULL, impute = NULL, group = NULL, ...) {
  call <- match.call()
  task <- task_of(y, task)
  both <- by_name(x, as_labels(y, task, group))
  x <- both$x
  y <- both$y
  check_words(x, list(...)$id)
  kernels <- default_kernels(x, kernels)
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  data <- write_data(x, folder)
  labels <- write_labels(y, rows_of(x), folder)
  options <- list(...)
  if (length(labels$levels) > 2 && is.null(options$multiclass)) options$multiclass <- "ovr"
  for (name in intersect(c("class_weight", "class.weight"), names(options))) {
    known <- match(names(options[[name]]), labels$levels)
    if (anyNA(known) || length(known) == 0) stop("class_weight has the names of classes", call. = FALSE)
    names(options[[name]]) <- labels$words[known]
  }
  arguments <- c("train", "--quiet", "--json", "-o", "model", "--task", task,
                 flags(c(list(kernels = kernels, C = C, norm = norm, probability = probability, conformal = conformal, impute = impute), options)),
                 data$flags, labels$flags, data$files)
  result <- jsonlite::fromJSON(run(folder, arguments))
  from_file(file.path(folder, "model"), x, labels, task, result, call)
}

# from_file returns a model of a file. The object has the bytes of the file, so that it can be saved as any other.
from_file <- function(file, x, labels, task, result, call) {
  about <- jsonlite::fromJSON(paste(run(dirname(file), c("inspect", "--json", basename(file))), collapse = ""))
  structure(list(model = readBin(file, "raw", file.size(file)), task = task, levels = labels$levels, words = labels$words,
                 columns = columns_of(x), result = result, about = about, call = call), class = "bigmkl")
}

columns_of <- function(x) if (is_views(x)) lapply(x, colnames) else colnames(x)

# ordered puts the columns of new rows in the order of the training.
ordered <- function(x, columns) {
  if (is_views(x)) {
    lost <- setdiff(names(columns), names(x))
    if (length(lost) > 0) stop("the rows have no view ", lost[1], call. = FALSE)
    return(Map(ordered, x[names(columns)], columns))
  }
  if (is.null(columns) || is.null(colnames(x))) return(x)
  lost <- setdiff(columns, colnames(x))
  if (length(lost) > 0) stop("the rows have no column ", lost[1], call. = FALSE)
  x[, columns, drop = FALSE]
}

# with_model calls a function with a folder that has the model and new rows in it, and the words that name the rows.
with_model <- function(object, newdata, action) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  writeBin(object$model, file.path(folder, "model"))
  if (!is.null(object$terms)) newdata <- model.frame(object$terms, newdata, na.action = na.pass)
  action(folder, write_data(ordered(by_name(newdata)$x, object$columns), folder))
}

predict.bigmkl <- function(object, newdata, type = c("response", "decision", "probability", "interval", "set", "survival"), coverage = 0.9, times = NULL, ...) {
  found <- predictions(object, newdata, match.arg(type), coverage, times, ...)
  if (is.matrix(found)) rownames(found) <- shown_names(newdata) else names(found) <- shown_names(newdata)
  found
}

# predictions returns what predict does, without names of rows.
predictions <- function(object, newdata, type, coverage, times, ...) {
  k <- length(object$levels)
  if (type == "probability" && k == 0) stop("only classes have probabilities", call. = FALSE)
  if (type == "interval" && k > 0) stop("classes have sets in place of intervals", call. = FALSE)
  if (type == "set" && k == 0) stop("only classes have sets", call. = FALSE)
  if ((type == "survival") != !is.null(times)) stop("times belong to predictions of type \"survival\"", call. = FALSE)
  more <- switch(type, survival = c("--survival-at", paste(digits(times), collapse = ",")), decision = if (k > 2) "--decisions", probability = "--probability", interval = , set = c("--coverage", digits(coverage)))
  lines <- with_model(object, newdata, function(folder, data) {
    run(folder, c("predict", "--quiet", "-o", "out", more, data$flags, flags(list(...)), "model", data$files))
    readLines(file.path(folder, "out"))
  })
  parts <- strsplit(lines, " ", fixed = TRUE)
  if (type == "probability") {
    order <- match(parts[[1]][-1], object$words)
    found <- matrix(as.numeric(unlist(lapply(parts[-1], function(p) p[-(1:2)]))), ncol = k, byrow = TRUE)
    colnames(found) <- object$levels[order]
    return(found[, object$levels, drop = FALSE])
  }
  if (type == "survival") {
    found <- matrix(as.numeric(unlist(lapply(parts, function(p) p[-1]))), nrow = length(parts), byrow = TRUE)
    colnames(found) <- times
    return(found)
  }
  taus <- object$about$taus # several quantiles, of which a line has a number each
  if (!is.null(taus) && type %in% c("response", "decision")) {
    found <- matrix(as.numeric(unlist(parts)), nrow = length(parts), byrow = TRUE)
    colnames(found) <- taus
    return(found)
  }
  column <- function(j) vapply(parts, function(p) p[j], "")
  regression <- k == 0 && object$task != "oneclass"
  switch(type,
    response = if (regression) as.numeric(column(1)) else if (k == 0) column(1) == "1" else factor(column(1), object$words, object$levels),
    decision = if (k > 2) {
      found <- matrix(as.numeric(unlist(lapply(parts, function(p) p[-1]))), nrow = length(parts), byrow = TRUE)
      colnames(found) <- classifiers(object)
      found
    } else sign_of(object) * as.numeric(column(if (regression) 1 else 2)),
    interval = {
      n <- length(parts[[1]])
      cbind(fit = as.numeric(column(if (is.null(taus)) 1 else which.min(abs(taus - 0.5)))), low = as.numeric(column(n - 1)), high = as.numeric(column(n)))
    },
    set = {
      sets <- strsplit(column(length(parts[[1]])), ",", fixed = TRUE)
      found <- t(vapply(sets, function(s) object$words %in% s, logical(k)))
      colnames(found) <- object$levels
      found
    })
}

# sign_of returns -1 where the command has the first of two levels as its positive class.
sign_of <- function(object) if (length(object$levels) == 2 && object$about$positive == object$words[1]) -1 else 1

# classifiers returns the names of several classifiers: a class, or a pair of classes.
classifiers <- function(object) {
  name <- function(words) object$levels[match(words, object$words)]
  m <- object$about$machines
  ifelse(is.na(m$negative), name(m$positive), paste(name(m$positive), name(m$negative), sep = "/"))
}

print.bigmkl <- function(x, ...) {
  a <- x$about
  cat("A model of bigmkl, task ", x$task, ": ", a$n, " rows, ", a$d, " features, ", a$kernels, " kernels, p = ", format(a$p), ", C = ", format(a$C), "\n", sep = "")
  if (!is.null(a$relative_gap)) cat("relative duality gap ", format(a$relative_gap, digits = 3), ", ", a$support_vectors, " support vectors\n", sep = "")
  if (!is.null(x$levels)) cat("classes: ", paste(x$levels, collapse = ", "), "\n", sep = "")
  invisible(x)
}

summary.bigmkl <- function(object, ...) {
  structure(list(model = object, weights = object$about$weights, heaviest = object$about$heaviest), class = "summary.bigmkl")
}

print.summary.bigmkl <- function(x, ...) {
  print(x$model)
  if (!is.null(x$weights)) {
    cat("\n")
    print(x$weights[intersect(c("name", "kernels", "active", "theta", "share"), names(x$weights))], digits = 3, row.names = FALSE)
    cat("\nA share is the part of the kernels of a view in f(x). It is not importance: see importance().\n")
  }
  invisible(x)
}

plot.bigmkl <- function(x, main = "Shares of ||w||", ...) {
  w <- x$about$weights
  if (is.null(w)) {
    w <- x$about$heaviest
    w$name <- w$spec
  }
  back <- par(mar = c(4, max(4, 0.6 * max(nchar(w$name))), 3, 1))
  on.exit(par(back))
  barplot(rev(setNames(w$share, w$name)), horiz = TRUE, las = 1, xlab = "share", main = main, ...)
  invisible(x)
}
