#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - fuzzes the raw reader for FUZZ_SECONDS (30); without clang, only reads the corpus
set -eu
top=$(cd "${srcdir:-.}" && pwd)
seconds=${FUZZ_SECONDS:-30}

./tests/fuzz/corpus_raw_read "$top/tests/fuzz/corpus/raw_read"

clang=${FUZZ_CC:-$(command -v clang || true)}
if [ -z "$clang" ]; then
	echo "skipped: no clang, so no libFuzzer; the corpus was read"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$top/tests/fuzz/corpus/raw_read" "$work/corpus"
if ! "$clang" -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-D_GNU_SOURCE -I"$top" -o "$work/fuzz" "$top/tests/fuzz/fuzz_raw_read.c" \
	"$top"/formats/raw_read.c "$top"/formats/raw_row.c "$top"/formats/raw_schema.c \
	"$top"/base/buf.c "$top"/base/str.c 2>"$work/log"; then
	if grep -q 'libclang_rt\|cannot find' "$work/log"; then
		echo "skipped: this clang has no libFuzzer"
		exit 77
	fi
	cat "$work/log"
	exit 1
fi
cd "$work"
if ! ./fuzz -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=8192 \
	-artifact_prefix="$work/" corpus >"$work/log" 2>&1; then
	tail -n 60 "$work/log"
	for f in crash-* oom-* timeout-* slow-unit-*; do
		[ ! -f "$f" ] || { echo "$f:"; base64 "$f"; }
	done
	exit 1
fi
tail -n 2 "$work/log"
