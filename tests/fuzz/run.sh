#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - what reads foreign bytes reads the corpus; FUZZ_SECONDS=30: is fuzzed so long in all
set -eu
top=$(cd "${srcdir:-.}" && pwd)
build=$(pwd)
targets='raw_read agent_text collectors xrdstream xrd_join xrdflat packet json_read xrd_state
	spool worker vms pm event_names event index
	lines unfold stomp firefly rms advice sacct fdinfo run_rows fleet answer call_read
	clickhouse row_binary listing'

work=$(mktemp -d)
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d -p "$work")	# trees of small files
trap 'rm -rf "$work" "$TMPDIR"' EXIT
export TMPDIR
cp -r "$top/tests/fuzz/corpus" "$work/corpus"
chmod -R u+w "$work/corpus"

# States of nodometer xrootd have the layout of now: it makes them, of captures, and what stands
# before the parts goes: a line, the checksum, the place in the output (25 bytes) and 16 texts of
# lines that wait, which are empty, with their sizes.  Each has to be taken.
state() {	# NAME FILE OPTION...
	name=$1 file=$2
	shift 2
	./nodometer-xrootd --read "$top/tests/tracers/$file" --state "$work/state" "$@" \
		>/dev/null 2>"$work/log" || { cat "$work/log"; exit 1; }
	head=$(head -n 1 "$work/state" | wc -c)
	tail -c +$((head + 8 + 25 + 16 * 12 + 1)) "$work/state" >"$work/corpus/xrd_state/$name"
	rm "$work/state"
}
mkdir "$work/corpus/xrd_state"
state files s2_io_http.dgram
state users s5_px.dgram
state staging frm.dgram
state sums s3_min_redirlocal.dgram --raw
state summary summary.packets --raw
WHOLE=1 ./tests/fuzz/corpus_xrd_state "$work/corpus/xrd_state"
head -c 1500 "$work/corpus/xrd_state/sums" >"$work/corpus/xrd_state/cut"

# Rows of runs have the layout of now, too: a file of them, and one of them.
cp -r "$top/tests/report/found-idle-node/archive" "$work/archive"
chmod -R u+w "$work/archive"
./nodometer-jobs --dir "$work/archive" --keep
mkdir "$work/corpus/run_rows"
cp "$work/archive/.runs" "$work/corpus/run_rows/file"
tail -c +65 "$work/archive/.runs" >"$work/corpus/run_rows/row"
for target in $targets; do
	"./tests/fuzz/corpus_$target" "$work/corpus/$target"
done

[ "${FUZZ_SECONDS:-0}" -gt 0 ] || exit 0
seconds=$((FUZZ_SECONDS / $(echo "$targets" | wc -w)))
[ $seconds -gt 0 ] || seconds=1
clang=${FUZZ_CC:-$(command -v clang || true)}
if [ -z "$clang" ]; then
	echo "skipped: no clang, so no libFuzzer; the corpus was read"
	exit 77
fi

# Everything but programs is compiled once, and each target takes of it what it needs.
flags="-std=gnu11 -g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	-D_GNU_SOURCE -DSYSCONFDIR='\"/etc\"' -DLOCALSTATEDIR='\"/var\"' \
	-DPKGLIBEXECDIR='\"/usr/libexec/nodometer\"' -include config.h -I'$top' -I'$build'"

# sources: all without main(), of the folders that have what is fuzzed; the mount needs libfuse
sources() {
	cd "$top"
	find base schema formats collectors archive recorder agent tracers figures report \
		answer fetch \
		-name '*.c' ! -name '*.bpf.c' ! -path 'tracers/files/mount/*' \
		-exec grep -L '^int main(' {} +
}

compile() {
	mkdir "$work/objects"
	sources | while read -r file; do
		echo "$clang $flags -c '$top/$file' -o '$work/objects/$(echo "$file" | tr / _).o'"
	done | xargs -d '\n' -n 1 -P "$(nproc)" sh -c 2>"$work/log" ||
		! grep -q 'error:' "$work/log" || { cat "$work/log"; exit 1; }
	ar cr "$work/all.a" "$work"/objects/*.o
}

build() {	# TARGET
	eval "$clang $flags -fsanitize=fuzzer -o '$work/$1'" \
		"'$top/tests/fuzz/fuzz_$1.c' '$work/all.a' $libraries" 2>"$work/log" && return
	if grep -q 'libclang_rt\|cannot find' "$work/log"; then
		echo "skipped: this clang has no libFuzzer"
		exit 77
	fi
	cat "$work/log"
	exit 1
}

run() {	# TARGET
	if ! (cd "$work" && "./$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
		-max_len=24576 -artifact_prefix="$work/" "corpus/$1") >"$work/log" 2>&1; then
		tail -n 60 "$work/log"
		for f in "$work"/crash-* "$work"/oom-* "$work"/timeout-* "$work"/slow-unit-*; do
			[ ! -f "$f" ] || { echo "$f:"; base64 "$f"; }
		done
		exit 1
	fi
	tail -n 2 "$work/log"
}

libraries='-lm -linih'
! grep -q '^#define HAVE_EXPAT ' config.h || libraries="$libraries -lexpat"
! grep -q '^#define HAVE_LIBPCAP ' config.h || libraries="$libraries -lpcap"
! grep -q '^#define HAVE_ZSTD ' config.h || libraries="$libraries -lzstd"
! grep -q '^#define HAVE_ZLIB ' config.h || libraries="$libraries -lz"
! grep -q '^#define HAVE_BPF ' config.h || libraries="$libraries -lbpf"
! grep -q '^#define HAVE_MNL ' config.h || libraries="$libraries -lmnl"
compile
for target in $targets; do
	build "$target"
	run "$target"
done
