# What the names and words of a table say of it before a training.

# check_words stops if a column of words names the rows: each word would be a feature that no new row has. The option id leaves columns out.
check_words <- function(x, id = NULL, inside = "") {
  if (is_views(x)) return(invisible(Map(check_words, x, list(NULL), paste0(names(x), "$"))))
  if (!is.data.frame(x)) return(invisible())
  for (name in setdiff(names(x), id)) {
    column <- x[[name]]
    if (is.numeric(column) || is.logical(column)) next
    words <- as.character(column)
    words <- words[!is.na(words)]
    found <- table(words)
    if (!(length(words) >= 10 && 2 * sum(found == 1) >= length(words)) && !(length(found) >= 20 && 2 * length(found) >= length(words))) next
    way <- if (inherits(column, c("Date", "POSIXt"))) "as.numeric makes numbers of dates" else
      paste0("leave it out: x$", inside, name, " <- NULL, or y ~ . - ", name, " in a formula")
    stop("column ", inside, name, " has a word of its own in nearly every row, such as \"", words[1], "\" (", way, ")", call. = FALSE)
  }
}

# views_of_names returns the views that names of columns give in the command: prefixes before a point whose columns are side by side.
views_of_names <- function(names) {
  prefix <- ifelse(grepl("^[^.]+[.]", names), sub("[.].*", "", names), "")
  runs <- rle(prefix)
  apart <- runs$values[duplicated(runs$values)]
  kept <- nzchar(runs$values) & !runs$values %in% apart
  if (sum(kept) < 2 || all(runs$lengths[kept] == 1)) character() else runs$values[kept]
}

# default_kernels returns kernels for each view of a list, as the command has them for files of their own, and says where names of
# columns would give views.
default_kernels <- function(x, kernels) {
  each <- "gauss:auto/10@each-view"
  if (!is.null(kernels)) return(kernels)
  if (is_views(x)) return(if (all(vapply(x, numbers_only, NA))) NULL else each)
  views <- views_of_names(colnames(x))
  if (length(views) > 0)
    message("The default kernels take all columns together. The names of the columns give the views ", paste(utils::head(views, 5), collapse = ", "),
            if (length(views) > 5) ", ..", ": kernels = \"", each, "\" has kernels for each", if (!is.data.frame(x)) " of as.data.frame(x)", ".")
  NULL
}
