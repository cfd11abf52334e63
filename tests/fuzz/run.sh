#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - run all fuzz targets on the corpus
#
# FUZZ_SECONDS=30: then also fuzz, for 30 s in total.
# Fuzzing takes a build by clang with --enable-sanitizers.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
build=$(pwd)
# shellcheck source=../which.sh
. "$top/tests/which.sh"
targets=$(list FUZZ:tests/fuzz/fuzz_%=%)

work=$(mktemp -d)
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d -p "$work")	# trees of small files
trap 'rm -rf "$work" "$TMPDIR"' EXIT
export TMPDIR
cp -r "$top/tests/fuzz/corpus" "$work/corpus"
chmod -R u+w "$work/corpus"

# Make the corpus of saved states from captures, because the layout of states changes. Remove what
# stands before the parts of a state: a line, the checksum (8 bytes), the place in the output (26
# bytes), and 16 waiting texts, which are empty (12 bytes each). The target must accept each of
# these states.
state() {	# NAME FILE OPTION...
	name=$1 file=$2
	shift 2
	./nodometer-xrootd --read "$top/tests/tracers/$file" --state "$work/state" "$@" \
		>/dev/null 2>"$work/log" || { cat "$work/log"; exit 1; }
	head=$(head -n 1 "$work/state" | wc -c)
	tail -c +$((head + 8 + 26 + 16 * 12 + 1)) "$work/state" >"$work/corpus/xrd_state/$name"
	rm "$work/state"
}
if [ -x nodometer-xrootd ]; then
	mkdir "$work/corpus/xrd_state"
	state files s2_io_http.dgram
	state users s5_px.dgram
	state staging frm.dgram
	state sums s3_min_redirlocal.dgram --raw
	state summary summary.packets --raw
	WHOLE=1 ./tests/fuzz/fuzz_xrd_state "$work/corpus/xrd_state"
	head -c 1500 "$work/corpus/xrd_state/sums" >"$work/corpus/xrd_state/cut"
fi

# Make the corpus of stored rows, too: a whole file, and its rows without the head of the file.
cp -r "$top/tests/report/found-idle-node/archive" "$work/archive"
chmod -R u+w "$work/archive"
./nodometer-jobs --dir "$work/archive" --keep
mkdir "$work/corpus/run_rows"
cp "$work/archive/.runs" "$work/corpus/run_rows/file"
tail -c +65 "$work/archive/.runs" >"$work/corpus/run_rows/row"
for target in $targets; do
	"./tests/fuzz/fuzz_$target" "$work/corpus/$target"
done

[ "${FUZZ_SECONDS:-0}" -gt 0 ] || exit 0
seconds=$((FUZZ_SECONDS / $(echo "$targets" | wc -w)))
[ $seconds -gt 0 ] || seconds=1
grep -q '^SAN = .*fuzzer-no-link' Makefile || {
	echo 'skipped: not built by clang with --enable-sanitizers; the corpus was read'
	exit 77
}

run() {	# TARGET
	if ! (cd "$work" && "$build/tests/fuzz/fuzz_$1.fuzz" -max_total_time="$seconds" \
		-seed="${FUZZ_SEED:-1}" -timeout=10 -rss_limit_mb=1024 -max_len=24576 \
		-artifact_prefix="$work/" "corpus/$1") >"$work/log" 2>&1; then
		tail -n 60 "$work/log"
		for f in "$work"/crash-* "$work"/oom-* "$work"/timeout-* "$work"/slow-unit-*; do
			[ ! -f "$f" ] || { echo "$f:"; base64 "$f"; }
		done
		exit 1
	fi
	echo "$1: $(tail -n 1 "$work/log")"
}

# the linker takes main() from libFuzzer, not from libcorpus.a
# shellcheck disable=SC2016,SC2046,SC2086 # make expands them; a list of words
make "-j$(nproc)" EXEEXT=.fuzz AM_LDFLAGS='$(SAN) -fsanitize=fuzzer' \
	$(printf 'tests/fuzz/fuzz_%s.fuzz ' $targets) >"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
for target in $targets; do
	run "$target"
done
