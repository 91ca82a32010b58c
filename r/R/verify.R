# The certificate of a model, computed once more.

verify <- function(object, x, y = NULL, group = NULL, ...) {
  # The labels of a formula are found in the data.
  if (inherits(x, "formula")) {
    parts <- from_formula(x, y)
    x <- parts$x
    y <- parts$y
    object$terms <- NULL
  }
  both <- by_name(x, as_labels(y, object$task, group))
  found <- with_model(object, both$x, function(folder, data) {
    labels <- write_labels(both$y, rows_of(both$x), folder, object$levels)
    jsonlite::fromJSON(run(folder, c("verify", "--json", "--quiet", flags(list(...)), data$flags, labels$flags, "model", data$files)))
  })
  about <- object$about[c("certificate", "relative_gap", "multiclass")]
  structure(found, class = "bigmkl_verification", claim = about[!vapply(about, is.null, NA)])
}

# print says what the command says.
print.bigmkl_verification <- function(x, ...) {
  claim <- attr(x, "claim")
  several <- NROW(x$machines)
  each <- several > 0 && !identical(claim$multiclass, "single")
  claimed <- paste0("(", format(claim$relative_gap, digits = 3), ")")
  cat(if (several > 0) paste0(several, if (each) " classifiers: " else " classifiers together: "),
      sprintf("primal %.9g, dual %.9g, relative gap %s%.3g over %d rows: ", x$primal, x$dual, if (each) "up to " else "", x$relative_gap, x$rows),
      if (x$sampled) sprintf("estimated from a sample, whose errors allow gaps from %.2g to %.2g; the model claims %s", x$gap_range[1], x$gap_range[2], claimed) else if (identical(claim$certificate, "stationary"))
        paste0("as the model claims ", claimed, ", a proof of the optimum only if all kernels are positive semi-definite") else
        paste0("recomputed from the data, and the model file agrees (relative gap ", format(claim$relative_gap, digits = 3), ")"), "\n", sep = "")
  for (each in unlist(x$unchecked)) cat("not checked: ", each, "\n", sep = "")
  invisible(x)
}
