# What is learned from, as files that the command reads.

is_sparse <- function(x) is(x, "sparseMatrix")
numbers_only <- function(x) is.matrix(x) || is_sparse(x) || all(vapply(x, function(column) is.numeric(column) || is.logical(column), NA))
is_views <- function(x) is.list(x) && !is.data.frame(x)

rows_of <- function(x) if (is_views(x)) nrow(x[[1]]) else nrow(x)

# check_data stops unless x is a matrix, a data frame or a list of views of as many rows.
check_data <- function(x) {
  fine <- function(v) is.matrix(v) || is.data.frame(v) || is_sparse(v)
  if (is_views(x)) {
    if (length(x) == 0 || is.null(names(x)) || any(!grepl("^[A-Za-z][A-Za-z0-9_-]*$", names(x))) || anyDuplicated(names(x)))
      stop("a list of views has a name for each, of letters, digits, '_' and '-'", call. = FALSE)
    if (!all(vapply(x, fine, NA)) || length(unique(vapply(x, nrow, 0L))) != 1)
      stop("views are matrices or data frames with the same number of rows", call. = FALSE)
  } else if (!fine(x)) {
    stop("x is a matrix, a sparse matrix, a data frame, or a list of these", call. = FALSE)
  }
  invisible(x)
}

# write_data writes x to a folder and returns the words of the command that name it.
write_data <- function(x, folder) {
  check_data(x)
  one <- function(v, name) {
    file <- paste0(name, if (is_sparse(v)) ".npz" else ".npy")
    if (is_sparse(v)) write_npz(v, file.path(folder, file)) else write_npy(v, file.path(folder, file))
    file
  }
  if (is_views(x) && all(vapply(x, numbers_only, NA)))
    return(list(files = vapply(names(x), function(name) paste0(name, "=", one(x[[name]], name)), ""), flags = character()))
  if (is_views(x)) {
    tables <- lapply(names(x), function(name) {
      table <- as.data.frame(if (is_sparse(x[[name]])) as.matrix(x[[name]]) else x[[name]])
      setNames(table, paste0(name, ".", names(table)))
    })
    x <- do.call(cbind, tables)
  }
  if (!is.data.frame(x)) return(list(files = one(x, "x"), flags = character()))
  write_table(x, folder)
}

# Words that look like numbers, dates or missing values to the command.
doubtful <- function(words) {
  any(grepl("^[-+]?[.0-9]", words) | toupper(words) %in% c("", "NA", "N/A", "NAN", "NONE", "NULL", ".", "-", "?"))
}

write_table <- function(x, folder) {
  if (any(grepl("[,\r\n]", names(x)))) stop("names of columns have no commas", call. = FALSE)
  categories <- character()
  for (name in names(x)) {
    column <- x[[name]]
    if (is.logical(column)) column <- as.integer(column)
    if (is.numeric(column)) {
      text <- digits(column)
      text[is.na(column)] <- "NA"
    } else {
      column <- as.character(column)
      # With --categories a missing value would be a category.
      if (anyNA(column) && doubtful(column[!is.na(column)])) column[!is.na(column)] <- paste0("_", column[!is.na(column)])
      if (!anyNA(column)) categories <- c(categories, name)
      text <- paste0("\"", gsub("\"", "\"\"", column), "\"")
      text[is.na(column)] <- ""
    }
    x[[name]] <- text
  }
  lines <- c(paste0("\"", gsub("\"", "\"\"", names(x)), "\"", collapse = ","), do.call(paste, c(unname(as.list(x)), sep = ",")))
  writeLines(enc2utf8(lines), file.path(folder, "x.csv"), useBytes = TRUE)
  list(files = "x.csv", flags = c("--header", "yes", if (length(categories) > 0) c("--categories", paste(categories, collapse = ","))))
}

# coded returns the words that stand for classes: their names where those are plain, and numbered ones elsewhere.
coded <- function(levels) {
  if (all(grepl("^[A-Za-z0-9_.+-]+$", levels)) && !any(toupper(levels) %in% c("NA", "NAN", "-"))) levels else sprintf("class%d", seq_along(levels))
}

# write_labels writes y, and returns the words of the command that name it, with the levels and words of classes.
write_labels <- function(y, n, folder, levels = NULL) {
  if (is.null(y)) return(list(flags = character()))
  if (length(y) != n) stop("y has ", length(y), " values for ", n, " rows", call. = FALSE)
  if (anyNA(y)) stop("y has missing values", call. = FALSE)
  if (inherits(y, "bigmkl_labels")) {
    levels <- words <- NULL
    text <- as.character(unclass(y))
  } else if (!is.numeric(y)) {
    y <- if (is.null(levels)) droplevels(as.factor(y)) else factor(as.character(y), levels = levels)
    if (anyNA(y)) stop("y has classes that the model does not know", call. = FALSE)
    levels <- levels(y)
    words <- coded(levels)
    text <- words[as.integer(y)]
  } else {
    levels <- words <- NULL
    text <- digits(y)
  }
  writeLines(text, file.path(folder, "labels.txt"))
  list(flags = c("--labels", "labels.txt"), levels = levels, words = words)
}

# from_formula returns x and y of a formula. Interactions are what kernels are for.
from_formula <- function(formula, data) {
  t <- terms(formula, data = data)
  if (length(attr(t, "order")) == 0) stop("the formula has no columns on its right side", call. = FALSE)
  if (any(attr(t, "order") > 1)) stop("a formula has no interactions here: kernels have them", call. = FALSE)
  frame <- model.frame(t, data, na.action = na.pass)
  # What a formula leaves out, as in y ~ . - id, is not needed in new rows. Labels of terms quote names that are none of R's.
  used <- which(rowSums(attr(t, "factors")) > 0)
  rest <- terms(reformulate(attr(t, "term.labels"), env = environment(formula)))
  list(x = frame[used], y = if (attr(t, "response") > 0) model.response(frame), terms = rest)
}

scratch <- function() {
  folder <- tempfile("bigmkl")
  dir.create(folder)
  folder
}
