# The command, and how it is run.

bigmkl_command <- function() {
  installed <- file.path(tools::R_user_dir("bigmkl", "data"), if (.Platform$OS.type == "windows") "bigmkl.exe" else "bigmkl")
  for (each in c(getOption("bigmkl.command", ""), Sys.getenv("BIGMKL"), installed, Sys.which("bigmkl"))) {
    if (nzchar(each) && file.exists(each)) return(unname(each))
  }
  stop("the command bigmkl was not found: put it into PATH, name it in the variable BIGMKL, or call bigmkl_install(archive)", call. = FALSE)
}

bigmkl_install <- function(archive) {
  if (grepl("^https?://", archive)) {
    url <- archive
    archive <- file.path(tempdir(), basename(url))
    utils::download.file(url, archive, mode = "wb")
  }
  folder <- tempfile("bigmkl")
  on.exit(unlink(folder, recursive = TRUE))
  if (grepl("\\.zip$", archive)) unzip(archive, exdir = folder) else utils::untar(archive, exdir = folder)
  found <- list.files(folder, "^bigmkl(\\.exe)?$", recursive = TRUE, full.names = TRUE)
  found <- found[!file.info(found)$isdir]
  if (length(found) != 1) stop("the archive has no command bigmkl", call. = FALSE)
  home <- tools::R_user_dir("bigmkl", "data")
  dir.create(home, recursive = TRUE, showWarnings = FALSE)
  to <- file.path(home, basename(found))
  if (!file.copy(found, to, overwrite = TRUE)) stop("cannot write ", to, call. = FALSE)
  Sys.chmod(to, "0755")
  invisible(to)
}

# run runs the command in a folder and returns what it writes to standard output. Its messages become warnings and errors of R.
run <- function(folder, arguments) {
  out <- tempfile()
  err <- tempfile()
  on.exit(unlink(c(out, err)))
  back <- setwd(folder)
  on.exit(setwd(back), add = TRUE)
  code <- system2(bigmkl_command(), shQuote(arguments), stdout = out, stderr = err)
  said <- readLines(err, warn = FALSE)
  if (code != 0) stop(paste(sub("^bigmkl: ", "", said), collapse = "\n"), call. = FALSE)
  said <- grep("^(bigmkl: )?warning: ", said, value = TRUE)
  for (line in said) warning(sub("^(bigmkl: )?warning: ", "", line), call. = FALSE)
  readLines(out, warn = FALSE)
}

# flags returns the words of options given by name: class_weight = c(a = 2) is --class-weight a=2.
flags <- function(options) {
  if (length(options) == 0) return(character())
  if (is.null(names(options)) || any(!nzchar(names(options)))) stop("options of the command have names", call. = FALSE)
  unlist(lapply(names(options), function(name) {
    value <- options[[name]]
    if (is.null(value) || identical(value, FALSE)) return(NULL)
    flag <- paste0(if (nchar(name) == 1) "-" else "--", gsub("[_.]", "-", name))
    if (identical(value, TRUE)) return(flag)
    text <- if (is.numeric(value)) digits(value) else as.character(value)
    if (!is.null(names(value))) text <- paste(names(value), text, sep = "=")
    c(flag, paste(text, collapse = ","))
  }))
}

# digits writes numbers so that the command reads the same ones.
digits <- function(x) {
  text <- sprintf("%.15g", x)
  longer <- is.finite(x) & suppressWarnings(as.numeric(text)) != x
  text[longer] <- sprintf("%.17g", x[longer])
  text
}
