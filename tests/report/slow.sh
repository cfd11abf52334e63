#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# slow.sh - the job's report and nodes --slow name a node that is slower than its peers
. "$(dirname "$0")/lib.sh"
src=$(cd "${srcdir:-.}" && pwd) || exit 99
archive=$work/archive
for node in 1 2 3 4 5 6 7 8; do mkdir -p "$archive/n$node"; done
awk -v DIR="$archive" -f "$src/tests/report/slow_archive.awk" || exit 99
nodes() { "$bin/nodometer-nodes" --dir "$archive" "$@" 2>"$work/said"; }

nodes --slow && fail 'nodes are compared without rows of runs'
grep -q 'no stored runs; nodometer jobs --keep stores them' "$work/said" ||
	fail "without rows: $(cat "$work/said")"
nodes
[ $? = 2 ] || fail 'without --slow'

"$bin/nodometer-jobs" --dir "$archive" --keep || fail 'no rows are kept'
nodes --slow | tr -s ' ' >"$work/list"
diff - "$work/list" <<'end' || fail 'the list of slow nodes'
NODE SLOWER IN RUNS SINCE UNTIL BY
n5 5.4 % 3 of 3 2023-11-14 22:13:20 2023-11-14 23:33:20 other programs than the job had CPU time
8 nodes were compared in 24 runs of one of them.
end
nodes --slow --json >"$work/list" || fail "$(cat "$work/said")"
grep -q '^{"node":"n5","measure":"others","percent":5\.[34][0-9]*,"slow_runs":3,"runs":3,'\
'"since":1700000000\.000000,"until":1700004800\.000000,"chance":[0-9.]*e-\(09\|10\),'\
'"schema":1}$' "$work/list" || fail "as JSON: $(cat "$work/list")"

# If each node has only one run in the selected time, no node is reported.
nodes --slow --since 1700003600 | grep -q '^No node is slower .*: 8 nodes .* in 8 runs' ||
	fail 'by one run'

"$bin/nodometer-report" --dir "$archive" 101 | tr '\n' ' ' | tr -s ' ' >"$work/page"
grep -q 'A node was slower than the others: n5: other programs than the job had CPU time, 5\.4 '\
'percentage points above the median of the nodes\. ' "$work/page" || fail "$(cat "$work/page")"
exit $failed
