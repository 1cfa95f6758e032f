#!/bin/sh
# Makes crates/kube's data files from the released modules of go.mod. Needs Go and, at the first run, the network.
set -eu
cd "$(dirname "$0")"
root=$(git rev-parse --show-toplevel)
go build -o "${TMPDIR:-/tmp}/etcdscope-schema" .
"${TMPDIR:-/tmp}/etcdscope-schema" schema | gzip -9n > "$root/crates/kube/data/schema.tsv.gz"
mkdir -p "$root/tests/golden/corpus"
"${TMPDIR:-/tmp}/etcdscope-schema" corpus | gzip -9n > "$root/tests/golden/corpus/kinds.bin.gz"
