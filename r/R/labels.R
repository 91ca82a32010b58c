# Labels that are no classes and no numbers: times of events, and relevances in groups.

is_times <- function(y) inherits(y, "Surv")

# task_of returns the words that say what is learned, from the values to be learned.
task_of <- function(y, task) {
  if (is_times(y)) {
    if (is.null(task)) task <- "survival"
    if (!task %in% c("survival", "cox")) stop("times of events are for task \"survival\" or \"cox\"", call. = FALSE)
    return(task)
  }
  if (is.null(task)) task <- if (is.null(y)) "oneclass" else if (is.numeric(y)) "svr" else "class"
  if (is.numeric(y) == (task %in% c("class", "logistic")) && !is.null(y)) stop("classes are a factor, and numbers are the targets of a regression", call. = FALSE)
  task
}

# as_labels returns y as the command takes it: words of times and of relevances, and anything else as it is.
as_labels <- function(y, task, group = NULL) {
  if (!is.null(group) && !identical(task, "rank")) stop("groups are for task \"rank\"", call. = FALSE)
  if (is_times(y)) return(words_of_times(y))
  if (!identical(task, "rank") || is.null(y)) return(y)
  if (is.null(group)) group <- rep(1, length(y))
  if (length(group) != length(y)) stop("group has ", length(group), " values for ", length(y), " rows", call. = FALSE)
  if (anyNA(group)) stop("group has missing values", call. = FALSE)
  if (anyNA(y)) stop("y has missing values", call. = FALSE)
  labelled(paste(digits(y), as.integer(factor(group)), sep = ":"), names(y))
}

labelled <- function(words, names) structure(words, names = names, class = "bigmkl_labels")

`[.bigmkl_labels` <- function(x, i) labelled(unclass(x)[i], names(x)[i])

# words_of_times returns the times of a Surv object of the package survival, which need not be there.
words_of_times <- function(y) {
  type <- attr(y, "type")
  m <- unclass(y)
  attr(m, "type") <- NULL
  if (type %in% c("right", "left")) {
    known <- m[, "status"] == 1
    text <- digits(m[, "time"])
    words <- ifelse(known, text, if (type == "right") paste0(text, "+") else paste0("..", text))
  } else if (type == "interval") {
    # 0 is a lower bound, 1 an event, 2 an upper bound, and 3 an interval.
    kind <- m[, "status"]
    text <- digits(m[, "time1"])
    words <- ifelse(kind == 0, paste0(text, "+"), ifelse(kind == 1, text, ifelse(kind == 2, paste0("..", text), paste(text, digits(m[, "time2"]), sep = ".."))))
  } else {
    stop("times of type \"", type, "\" are not learned: Surv(time, event), or Surv(lower, upper, type = \"interval2\")", call. = FALSE)
  }
  if (anyNA(words) || anyNA(m[, 1])) stop("y has missing values", call. = FALSE)
  labelled(words, rownames(m))
}
