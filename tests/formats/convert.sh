#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# convert.sh - nodometer convert loses nothing, or refuses the conversion with the reason
src=$(cd "${srcdir:-.}" && pwd) || exit 99
bin=$(pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC
failed=0 n=0
fail() { echo "FAIL: $*"; failed=1; }
convert() { "$bin/nodometer" convert "$@" 2>"$work/said"; }

# same FILE COPY: fail unless nodometer cat prints the same for both files; ignore a FILE without
# records
same()
{
	"$bin/nodometer-cat" --json "$1" >"$work/of" 2>/dev/null
	"$bin/nodometer-cat" --json "$2" >"$work/to" 2>/dev/null
	[ -s "$work/of" ] || return 1
	cmp -s "$work/of" "$work/to" ||
		fail "$1: $(diff "$work/of" "$work/to" | sed -n '1,4p')"
	n=$((n + 1))
}

# kept FILE: convert FILE to a raw file. The raw file must be valid and have all records of FILE;
# converting it again must give the same bytes.
kept()
{
	convert --to raw "$1" >"$work/raw"
	same "$1" "$work/raw" || return 0
	"$bin/nodometer-check" "$work/raw" >"$work/check" 2>&1 ||
		fail "$1: $(head -n 3 "$work/check")"
	convert --to raw "$work/raw" >"$work/again"
	cmp -s "$work/raw" "$work/again" || fail "$1: another one the second time"
}
shared=${NODOMETER_SHARED:-$src/../shared}/data/raw
for file in "$src"/tests/report/*/archive/*/1* "$src"/tests/formats/*.raw \
	"$src"/tests/fuzz/corpus/vms/* "$src"/tests/fuzz/corpus/pm/*; do
	kept "$file"
done
for folder in "$shared"/*/; do
	file=$(find "$folder" -name '1*' | sort | head -n 1)
	[ ! -e "$file" ] || kept "$file"
done
[ $n -ge 80 ] || fail "only $n files"
[ -d "$shared" ] || echo "no $shared: public files are not converted"

# Convert a raw file to a recording, which keeps only values that MONITOR's classes have, and back
# to a raw file.
node=$src/tests/report/found-low-cpu/archive
node=$(find "$node" -name '1*' | head -n 1)
if [ -x "$bin/nodometer-monitor" ]; then
	convert --to monitor -o "$work/day.dat" "$node" || fail "monitor: $(cat "$work/said")"
	kept "$work/day.dat"
	"$bin/nodometer-cat" --csv --type vms_modes "$work/raw" | grep -q . ||
		fail 'no modes in it'
fi
for form in csv jsonl; do
	"$bin/nodometer-cat" --"${form%l}" "$node" >"$work/of"
	convert --to $form "$node" | cmp -s - "$work/of" || fail "$form is not what cat prints"
done

# A job's report is the same for the converted files, also with wraps, and with several headers in a
# file.
for case in wrap-dip-reset names-3 stacked derived-skx; do
	mkdir "$work/$case"
	for host in "$src/tests/report/$case/archive"/*/; do
		host=$(basename "$host")
		mkdir "$work/$case/$host"
		for file in "$src/tests/report/$case/archive/$host"/1*; do
			convert --to raw "$file" >"$work/$case/$host/$(basename "$file")"
		done
	done
	job=$(awk '$1 == "%begin" { print $2; exit }' "$work/$case"/*/1*)
	"$bin/nodometer-report" "$job" --json --dir "$src/tests/report/$case/archive" >"$work/of"
	"$bin/nodometer-report" "$job" --json --dir "$work/$case" >"$work/to"
	cmp -s "$work/of" "$work/to" || fail "$case: the report differs"
done

# refused STATUS TEXT ARGUMENT...: nodometer convert ARGUMENT... must exit with STATUS and an error
# with TEXT, and print nothing
refused()
{
	status=$1 text=$2
	shift 2
	convert "$@" >"$work/out"
	is=$?
	[ $is = "$status" ] || fail "$*: status $is"
	grep -q -e "$text" "$work/said" || fail "$*: $(cat "$work/said")"
	[ ! -s "$work/out" ] || fail "$* prints something"
}
"$bin/nodometer-cat" --csv "$node" >"$work/day.csv"
"$bin/nodometer-cat" "$node" >"$work/day.json"
refused 1 'do not say which keys are counters' --to raw "$work/day.csv"
refused 1 'do not say which keys are counters' --to raw "$work/day.json"
refused 1 'holds single TCP connections' --to pm "$node"
refused 1 'No such file' --to raw "$work/none"
refused 1 'not a raw file' --to raw /dev/null
refused 2 'unknown FORMAT' --to xml "$node"
if [ -x "$bin/nodometer-monitor" ]; then
	refused 2 'needs --output' --to monitor "$node"
else
	refused 1 'not built: configured with --disable-openvms' --to monitor "$node"
fi
refused 2 'cannot be used with --output' --to csv -o "$work/x" "$node"
refused 2 'cannot be used with --rates' --to raw --rates "$node"
refused 2 'cannot be used with --type' --to raw --type mem "$node"
refused 2 'cannot be used with --label' --to csv --label a=b "$node"
refused 2 'unknown FORMAT' --monotonic --to monitor "$node"
refused 2 'missing --to FORMAT' "$node"
refused 2 'dir, --from and FILE' --to raw --dir . "$node"
convert --to raw "$node" >/dev/full && fail 'a full disk is not seen'
echo "$n files"
exit $failed
