#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - fuzzes what reads foreign bytes, FUZZ_SECONDS (30) in all; without clang, only the corpus
set -eu
top=$(cd "${srcdir:-.}" && pwd)
build=$(pwd)
targets='raw_read agent_text collectors xrdstream xrd_join xrdflat packet'
seconds=$((${FUZZ_SECONDS:-30} / 7))
[ $seconds -gt 0 ] || seconds=1

work=$(mktemp -d)
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d -p "$work")	# trees of small files
trap 'rm -rf "$work" "$TMPDIR"' EXIT
export TMPDIR
for target in $targets; do
	"./tests/fuzz/corpus_$target" "$top/tests/fuzz/corpus/$target"
done

clang=${FUZZ_CC:-$(command -v clang || true)}
if [ -z "$clang" ]; then
	echo "skipped: no clang, so no libFuzzer; the corpus was read"
	exit 77
fi

build() {	# TARGET SOURCE-OR-LIBRARY...
	name=$1
	shift
	"$clang" -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-D_GNU_SOURCE -DSYSCONFDIR='"/etc"' -DLOCALSTATEDIR='"/var"' \
		-DPKGLIBEXECDIR='"/usr/libexec/nodometer"' -include config.h \
		-I"$top" -I"$build" -o "$work/$name" "$top/tests/fuzz/fuzz_$name.c" "$@" \
		2>"$work/log" && return
	if grep -q 'libclang_rt\|cannot find' "$work/log"; then
		echo "skipped: this clang has no libFuzzer"
		exit 77
	fi
	cat "$work/log"
	exit 1
}

run() {	# TARGET
	cp -r "$top/tests/fuzz/corpus/$1" "$work/corpus_$1"
	if ! (cd "$work" && "./$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
		-max_len=8192 -artifact_prefix="$work/" "corpus_$1") >"$work/log" 2>&1; then
		tail -n 60 "$work/log"
		for f in "$work"/crash-* "$work"/oom-* "$work"/timeout-* "$work"/slow-unit-*; do
			[ ! -f "$f" ] || { echo "$f:"; base64 "$f"; }
		done
		exit 1
	fi
	tail -n 2 "$work/log"
}

build raw_read "$top"/formats/raw_read.c "$top"/formats/raw_row.c "$top"/formats/raw_schema.c \
	"$top"/base/buf.c "$top"/base/str.c
expat=
! grep -q '^#define HAVE_EXPAT ' config.h || expat=-lexpat
build xrdstream "$top"/formats/xrd*.c "$top"/base/buf.c "$top"/base/str.c $expat
pcap=
! grep -q '^#define HAVE_LIBPCAP ' config.h || pcap=-lpcap
build xrd_join "$top"/tracers/xrd_*.c "$top"/tracers/fragments.c "$top"/archive/*.c \
	"$top"/formats/*.c "$top"/schema/*.c "$top"/base/*.c -lm $expat $pcap
build packet "$top"/tracers/fragments.c "$top"/formats/packet.c "$top"/base/buf.c "$top"/base/str.c
build collectors "$top"/collectors/*.c "$top"/collectors/*/*.c "$top"/schema/*.c "$top"/base/*.c
build agent_text "$top"/agent/attributes.c "$top"/agent/config.c "$top"/agent/control.c \
	"$top"/agent/job_files.c "$top"/agent/jobs.c "$top"/archive/tail.c \
	"$top"/formats/raw_write.c "$top"/collectors/*.c "$top"/collectors/*/*.c \
	"$top"/schema/*.c "$top"/base/*.c -linih
build xrdflat "$top"/formats/xrd*.c "$top"/base/buf.c "$top"/base/str.c $expat
for target in $targets; do
	run "$target"
done
