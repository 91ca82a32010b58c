# The command alone in an image: a static file, run by a user without rights. It has not been built: nothing here runs
# Docker, and a test compares its commands with those of a release.
#
#   docker build -t bigmkl .
#   docker run --rm -v "$PWD:/data" -u "$(id -u):$(id -g)" bigmkl train -o m.model train.csv
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=auto -ldflags="-s -w" -o /out/bigmkl ./cmd/bigmkl && mkdir -m 1777 /out/tmp

FROM scratch
COPY --from=build /out /
# Scratch files go to /tmp unless --scratch names another folder.
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/bigmkl"]
