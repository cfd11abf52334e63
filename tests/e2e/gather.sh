#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gather.sh - archives that were gathered as README says, at any time, report what the node has
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_ZSTD' config.h || skip 'built without libzstd'
command -v rsync >/dev/null || skip 'rsync is not installed'
there=$scratch/gathered

gather() { expect 0 rsync -a "$archive/" "$there/"; }
# page DIR: what a report has of the job there
page() {
	"$bin/nodometer-report" 42 --dir "$1" >"$scratch/page" 2>&1 ||
		fail "report of $1: $(cat "$scratch/page")"
	cat "$scratch/page"
}
same() {	# WHEN
	page "$archive" >"$scratch/here"
	page "$there" | diff -u "$scratch/here" - >&3 || fail "$1: another report over there"
}

# While the job runs: the open file and "current", which is no hard link over there.
write_config
expect 0 nodometer begin 42
expect 0 nodometer collect vm
gather
is 'links of current' "$(stat -c %h "$there/$host/current")" 1
same 'in mid-job'

# What the node wrote later came by "current" only.
stale=$(basename "$(raw_files)")
cp "$there/$host/$stale" "$scratch/stale"
expect 0 nodometer collect vm
gather
cp "$scratch/stale" "$there/$host/$stale"
same 'with a current that has more than its file'

# The job is over, its file closed and compressed; the plain copy from before stays over there.
expect 0 nodometer end 42
expect 0 nodometer rotate 2>/dev/null
expect 0 "$bin/nodometer-tidy" --compress "$archive/$host"
[ -e "$archive/$host/$stale.zst" ] || fail "not compressed: $(ls "$archive/$host")"
gather
[ -e "$there/$host/$stale" ] || fail 'rsync removed the stale copy'
same 'after it was compressed'
grep -q '^  samples   4' "$scratch/page" || fail "not all samples: $(cat "$scratch/page")"
grep -q '^  duration ' "$scratch/page" && ! grep -q 'No end mark' "$scratch/page" ||
	fail "no end: $(cat "$scratch/page")"
