#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# metrics.sh - nodometer-metrics(7) lists each label of HPCPerfStats; all nodometer names in it
# exist
src=$(cd "${srcdir:-.}" && pwd) || exit 99
page=$src/man/nodometer-metrics.7
failed=0
fail() { echo "FAIL: $*"; failed=1; }

n=$(grep -c '^\.It [a-z_0-9]*$' "$page")
[ "$n" = 66 ] || fail "$n labels, not 66"
twice=$(grep '^\.It [a-z_0-9]*$' "$page" | sort | uniq -d)
[ -z "$twice" ] || fail "twice: $twice"

# Collect the existing names from tables in the source: ids of derived figures, and TYPE.KEY or ids
# of other figures.
ours=$({
	sed -n 's/^\t{ "\([a-z_0-9]*\)", [A-Z]*,.*/\1/p' "$src/lib/figures/derived.c"
	sed -n 's/^\t{ "[^"]*", *"[^"]*", *"\([a-z_0-9]*\)", *"\([A-Za-z_0-9]*\)".*/\1.\2/p' \
		"$src/lib/figures/figures.c"
	sed -n 's/.*\.id = "\([a-z.-]*\)".*/\1/p' "$src/lib/figures/figures.c"
} | sort -u)
[ "$(echo "$ours" | wc -l)" -gt 150 ] || fail 'the tables were not read'
names=$(sed -n 's/^\.Cm \([a-z].*\)/\1/p' "$page" | tr ' ' '\n' | grep '^[a-z]' | sort -u)
[ "$(echo "$names" | wc -l)" -gt 40 ] || fail 'the page was not read'
for name in $names; do
	case $name in figures | derived | value | peak) continue ;; esac
	echo "$ours" | grep -qx "$name" || fail "$name is no figure"
done

# In the table that compares pages, each "+" for nodometer needs a test that has these words.
tested='
CPU time of the allocated CPUs|findings.py|low-cpu
memory of its limit|findings.py|memory-limit-near
elapsed time of the time limit|findings.py|time-limit-hit
GPUs: utilization, memory|gpu/expected|busy GPUs, mean
advice in plain words|found-low-cpu/expected|Ask for fewer CPUs
division of the CPU time|findings.py|def whole
more nodes than needed|findings.py|scattered-gpus
thresholds and links of a site|findings.sh|killed-for-memory.link
each node, and differences of nodes|uneven/expected|uneven
CPI, GFLOP/s, memory bandwidth|derived.py|"gflops64": ratio
share of peak FLOP/s and bandwidth|roof-tables/expected|of FLOP/s, by processor
Lustre, NFS, fabric|derived-net/expected|Lustre and NFS, both ways
chart over time|derived.py|def compare_drawn
the job itself on shared nodes|shared-jobs/expected|Job itself
missing nodes, gaps and resets are named|node-missing/expected|missing
files only, without a server|one-file/args|--dir
a node slower than its peers|slow.sh|A node was slower than the others
two runs, and why one took longer|compare.sh|worked on fewer CPUs of a node
job arrays by the ids that users use|jobs_accounting.sh|JobIDRaw
table of many jobs with their figures|findings.py|unused_node_hours
'
rows=$(sed -n 's/^\.It \(.*\) Ta + Ta . Ta . Ta . Ta . Ta .$/\1/p' "$page")
[ "$(echo "$rows" | wc -l)" = "$(printf '%s' "$tested" | grep -c '|')" ] || fail "rows: $rows"
while IFS='|' read -r row test words; do
	[ "$row" ] || continue
	echo "$rows" | grep -qxF "$row" || fail "\"$row\" is no row of ours"
	grep -qF -e "$words" "$src/tests/report/$test" || fail "$row: $test has no \"$words\""
done <<END
$tested
END
exit $failed
