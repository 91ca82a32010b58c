# Arrays of NumPy: matrices reach the command and come back without text.

npy_header <- function(descr, shape) {
  text <- sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, if (length(shape) == 2) "True" else "False",
                  paste0(paste(sprintf("%.0f", shape), collapse = ", "), if (length(shape) == 1) "," else ""))
  pad <- (64 - (10 + nchar(text) + 1) %% 64) %% 64
  text <- paste0(text, strrep(" ", pad), "\n")
  c(as.raw(c(0x93, utf8ToInt("NUMPY"), 1, 0, nchar(text) %% 256, nchar(text) %/% 256)), charToRaw(text))
}

write_npy <- function(x, file) {
  x <- as.matrix(x)
  if (!is.numeric(x) && !is.logical(x)) stop("the matrix has no numbers", call. = FALSE)
  storage.mode(x) <- "double"
  to <- file(file, "wb")
  on.exit(close(to))
  writeBin(npy_header("<f8", dim(x)), to)
  writeBin(as.vector(x), to, size = 8, endian = "little")
  invisible(file)
}

# deflated returns bytes compressed, and their checksum: those of a file of gzip without its head and tail.
deflated <- function(bytes) {
  name <- tempfile()
  on.exit(unlink(name))
  to <- gzfile(name, "wb", compression = 1)
  writeBin(bytes, to)
  close(to)
  all <- readBin(name, "raw", file.size(name))
  n <- length(all)
  list(data = all[11:(n - 8)], crc = all[(n - 7):(n - 4)])
}

little <- function(x, size) as.raw(x %/% 256^(seq_len(size) - 1) %% 256)

# write_zip writes an archive of members, a named list of raw vectors.
write_zip <- function(members, file) {
  to <- file(file, "wb")
  on.exit(close(to))
  directory <- raw()
  at <- 0
  for (name in names(members)) {
    packed <- deflated(members[[name]])
    if (length(members[[name]]) >= 2^31 - 1) stop("the matrix is too large for an archive", call. = FALSE)
    common <- c(little(20, 2), little(0, 2), little(8, 2), little(0, 2), little(33, 2), packed$crc, little(length(packed$data), 4),
                little(length(members[[name]]), 4), little(nchar(name), 2), little(0, 2))
    local <- c(charToRaw("PK"), as.raw(c(3, 4)), common, charToRaw(name))
    directory <- c(directory, charToRaw("PK"), as.raw(c(1, 2)), little(20, 2), common, raw(2 + 2 + 2 + 4), little(at, 4), charToRaw(name))
    writeBin(local, to)
    writeBin(packed$data, to)
    at <- at + length(local) + length(packed$data)
  }
  writeBin(c(directory, charToRaw("PK"), as.raw(c(5, 6)), raw(4), little(length(members), 2), little(length(members), 2),
             little(length(directory), 4), little(at, 4), raw(2)), to)
}

write_npz <- function(x, file) {
  if (!requireNamespace("Matrix", quietly = TRUE)) stop("sparse matrices need the package Matrix", call. = FALSE)
  x <- as(as(as(x, "dMatrix"), "generalMatrix"), "RsparseMatrix")
  # Shapes are integers of 8 bytes, which R has none of.
  shape <- as.integer(rbind(dim(x), 0L))
  ints <- function(v) c(npy_header("<i4", length(v)), writeBin(as.integer(v), raw(), endian = "little"))
  members <- list(
    indices.npy = ints(x@j), indptr.npy = ints(x@p), format.npy = c(npy_header("|S3", integer()), charToRaw("csr")),
    shape.npy = c(npy_header("<i8", 2), writeBin(shape, raw(), endian = "little")),
    data.npy = c(npy_header("<f8", length(x@x)), writeBin(as.double(x@x), raw(), endian = "little")))
  write_zip(members, file)
  invisible(file)
}

# read_npy returns the elements of an array in a raw vector: numbers of the kinds that convert writes, or text.
read_npy <- function(bytes) {
  if (length(bytes) < 12 || !identical(bytes[1:6], as.raw(c(0x93, utf8ToInt("NUMPY"))))) stop("this is no array of NumPy", call. = FALSE)
  wide <- bytes[7] > as.raw(1)
  size <- sum(as.integer(bytes[if (wide) 9:12 else 9:10]) * 256^(0:(if (wide) 3 else 1)))
  start <- if (wide) 12 else 10
  head <- rawToChar(bytes[start + seq_len(size)])
  data <- bytes[-seq_len(start + size)]
  kind <- sub(".*'descr': *'([^']*)'.*", "\\1", head)
  shape <- regmatches(head, regexpr("\\([^)]*\\)", head))
  shape <- as.numeric(regmatches(shape, gregexpr("[0-9]+", shape))[[1]])
  n <- prod(shape)
  bytesOf <- as.integer(sub("^.[a-zA-Z]", "", kind))
  endian <- if (substr(kind, 1, 1) == ">") "big" else "little"
  x <- switch(substr(kind, 2, 2),
    f = readBin(data, "double", n, size = bytesOf, endian = endian),
    i = if (bytesOf == 8) {
      two <- matrix(readBin(data, "integer", 2 * n, endian = endian), 2)
      low <- two[1, ] + ifelse(two[1, ] < 0, 2^32, 0)
      low + 2^32 * two[2, ]
    } else readBin(data, "integer", n, size = bytesOf, endian = endian),
    S = vapply(split(data, rep(seq_len(n), each = bytesOf)), function(b) rawToChar(b[b != as.raw(0)]), ""),
    U = {
      points <- matrix(readBin(data, "integer", n * bytesOf, endian = endian), bytesOf)
      apply(points, 2, function(p) intToUtf8(p[p != 0]))
    },
    stop("arrays of type ", kind, " are not read", call. = FALSE))
  if (length(shape) == 2) x <- matrix(x, shape[1], shape[2], byrow = !grepl("'fortran_order': *True", head))
  x
}

read_npz <- function(file) {
  folder <- tempfile("npz")
  on.exit(unlink(folder, recursive = TRUE))
  files <- unzip(file, exdir = folder)
  arrays <- setNames(lapply(files, function(f) read_npy(readBin(f, "raw", file.size(f)))), sub("\\.npy$", "", basename(files)))
  if (is.null(arrays$indptr)) return(arrays)
  if (!requireNamespace("Matrix", quietly = TRUE)) stop("sparse matrices need the package Matrix", call. = FALSE)
  if (!identical(unname(arrays$format), "csr")) stop("only matrices by rows (CSR) are read", call. = FALSE)
  x <- Matrix::sparseMatrix(j = as.integer(arrays$indices), p = as.integer(arrays$indptr), x = as.numeric(arrays$data), dims = arrays$shape, index1 = FALSE)
  if (is.null(arrays$y)) x else list(x = x, y = unname(arrays$y))
}
