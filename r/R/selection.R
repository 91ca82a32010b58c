# Selection by cross-validation, and importance.

select_bigmkl <- function(x, ...) UseMethod("select_bigmkl")

select_bigmkl.formula <- function(formula, data, ...) {
  parts <- from_formula(formula, data)
  found <- select_bigmkl.default(parts$x, parts$y, ...)
  found$best$terms <- parts$terms
  found
}

select_bigmkl.default <- function(x, y, kernels = NULL, norms = NULL, costs = NULL, folds = 5, measure = NULL, task = NULL, group = NULL, ...) {
  task <- task_of(y, task)
  call <- match.call()
  kernels <- default_kernels(check_data(x), kernels)
  prepared(x, as_labels(y, task, group), task, list(...), function(folder, words, labels) {
    many <- unlist(lapply(kernels, function(k) c("--kernels", k)))
    run(folder, c("select", "--quiet", "--json", "-o", "found", "--task", task, many,
                  flags(c(list(grid_norm = norms, grid_C = costs, folds = folds, measure = measure), list(...))), words))
    table <- jsonlite::fromJSON(file.path(folder, "found", "table.json"))
    cells <- table$cells
    arms <- table$arms[cells$arm + 1, , drop = FALSE]
    figures <- cells$figures[[table$measure]]
    means <- data.frame(kind = arms$kind, kernels = arms$kernels, norm = arms$norm, C = cells$C, mean = figures$mean, error = figures$error)
    means <- means[order(means$mean, decreasing = !table$smaller), ]
    rownames(means) <- NULL
    best <- from_file(file.path(folder, "found", "best.model"), x, labels, task, NULL, call)
    structure(list(measure = table$measure, means = means, best = best, table = table), class = "bigmkl_selection")
  })
}

# prepared calls a function with a folder that has data and labels in it, and the words that name them.
prepared <- function(x, y, task, options, action) {
  both <- by_name(x, y)
  x <- both$x
  y <- both$y
  check_words(x, options$id)
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  data <- write_data(x, folder)
  labels <- write_labels(y, rows_of(x), folder)
  several <- if (length(labels$levels) > 2) c("--multiclass", "ovr")
  action(folder, c(several, data$flags, labels$flags, data$files), labels)
}

print.bigmkl_selection <- function(x, n = 10, ...) {
  cat("Means of ", x$measure, " on held-out rows, with their standard errors:\n", sep = "")
  means <- utils::head(x$means, n)
  # A view with ten widths has ten names, which would fill the screen; x$means has them whole.
  long <- nchar(means$kernels) > 34
  means$kernels[long] <- paste0(substr(means$kernels[long], 1, 32), "..")
  print(means, digits = 4)
  invisible(x)
}

importance <- function(x, ...) UseMethod("importance")

importance.formula <- function(formula, data, ...) {
  parts <- from_formula(formula, data)
  importance.default(parts$x, parts$y, ...)
}

importance.default <- function(x, y, kernels = NULL, folds = NULL, measure = NULL, task = NULL, group = NULL, ...) {
  task <- task_of(y, task)
  kernels <- default_kernels(check_data(x), kernels)
  prepared(x, as_labels(y, task, group), task, list(...), function(folder, words, labels) {
    text <- run(folder, c("importance", "--quiet", "--json", "-o", "found", "--task", task,
                          flags(c(list(kernels = kernels, folds = folds, measure = measure), list(...))), words))
    found <- jsonlite::fromJSON(paste(text, collapse = ""))
    s <- found$sources
    column <- function(name, key) if (is.null(s[[name]])) NA_real_ else s[[name]][[key]]
    sources <- data.frame(source = s$name, alone = column("alone", "mean"), alone_error = column("alone", "error"),
                          left_out = column("left_out", "mean"), left_out_error = column("left_out", "error"),
                          permuted = column("permuted", "mean"), permuted_error = column("permuted", "error"))
    if (!is.null(s$finding)) sources$finding <- if (is.data.frame(s$finding)) s$finding[[1]] else s$finding
    structure(list(measure = found$measure, whole = found$whole$mean, sources = sources, all = found), class = "bigmkl_importance")
  })
}

print.bigmkl_importance <- function(x, ...) {
  cat("Loss of ", x$measure, " on held-out rows without a source, with standard errors; all sources together: ", format(x$whole, digits = 3), "\n", sep = "")
  print(x$sources[intersect(c("source", "alone", "left_out", "left_out_error", "permuted", "permuted_error", "finding"), names(x$sources))], digits = 3, row.names = FALSE)
  invisible(x)
}

plot.bigmkl_importance <- function(x, which = c("left_out", "permuted"), main = NULL, ...) {
  which <- match.arg(which)
  s <- x$sources[nrow(x$sources):1, ]
  mean <- s[[which]]
  half <- 2 * s[[paste0(which, "_error")]]
  back <- par(mar = c(4, max(4, 0.6 * max(nchar(s$source))), 3, 1))
  on.exit(par(back))
  at <- seq_along(mean)
  plot(mean, at, xlim = range(0, mean - half, mean + half, na.rm = TRUE), ylim = c(0.5, length(at) + 0.5), yaxt = "n", ylab = "", pch = 19,
       xlab = paste("loss of", x$measure, "with two standard errors"), main = if (is.null(main)) paste("Importance:", sub("_", " ", which)) else main, ...)
  segments(mean - half, at, mean + half, at)
  axis(2, at, s$source, las = 1)
  abline(v = 0, lty = 3)
  invisible(x)
}
