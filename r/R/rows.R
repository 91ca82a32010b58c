# Rows of views and of y, which are found by their names.

# names_of_rows returns the names of the rows of a matrix or data frame, NULL without names. R itself numbers the rows of data frames.
names_of_rows <- function(v) {
  if (is.data.frame(v) && !is.character(attr(v, "row.names"))) return(NULL)
  found <- rownames(v)
  if (is.null(found) || identical(found, as.character(seq_along(found)))) NULL else found
}

# shown_names returns what the rows of predictions are called: of data frames the numbers of R, too, as other methods of predict have them.
shown_names <- function(x) {
  if (!is_views(x)) return(if (is.data.frame(x)) row.names(x) else rownames(x))
  named <- Filter(Negate(is.null), lapply(x, names_of_rows))
  if (length(named) > 0) named[[1]] else shown_names(x[[1]])
}

# place_of returns where the rows of the first element are among the names of another one.
place_of <- function(first, names, what, than) {
  if (identical(first, names)) return(NULL)
  way <- "rows are found by their names; rownames(x) <- NULL takes them by position"
  for (twice in c(first[duplicated(first)][1], names[duplicated(names)][1])) {
    if (!is.na(twice)) stop("two rows are called \"", twice, "\" (", way, ")", call. = FALSE)
  }
  lost <- setdiff(first, names)
  if (length(lost) > 0) stop(what, " has no row \"", lost[1], "\", which ", than, " has (", way, ")", call. = FALSE)
  more <- setdiff(names, first)
  if (length(more) > 0) stop(what, " has the row \"", more[1], "\", which ", than, " does not have (", way, ")", call. = FALSE)
  # Numbers may be what is left of the order of another table, which as.matrix makes names of.
  if (all(grepl("^[0-9]+$", first))) stop("the names of rows are numbers, in another order in ", what, " than in ", than,
                                          " (rownames(x) <- NULL takes rows by position; names with a letter, such as paste0(\"id\", n), are found by name)", call. = FALSE)
  match(first, names)
}

# by_name puts the rows of views and y in the order of the first view, if all of them have names.
by_name <- function(x, y = NULL) {
  check_data(x)
  views <- is_views(x)
  parts <- if (views) x else list(x = x)
  named <- lapply(parts, names_of_rows)
  if (any(vapply(named, is.null, NA))) return(list(x = x, y = y))
  than <- if (views) paste("view", names(parts)[1]) else "x"
  for (i in seq_along(parts)[-1]) {
    place <- place_of(named[[1]], named[[i]], paste("view", names(parts)[i]), than)
    if (!is.null(place)) parts[[i]] <- parts[[i]][place, , drop = FALSE]
  }
  if (!is.null(names(y)) && length(y) == length(named[[1]])) {
    place <- place_of(named[[1]], names(y), "y", than)
    if (!is.null(place)) y <- y[place]
  }
  list(x = if (views) parts else x, y = y)
}
