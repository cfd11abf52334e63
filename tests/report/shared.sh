#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shared.sh - nodometer report on a real job: 1835740 on Stampede in 2013, with seven of its 14
# nodes
#
# The expected start and end are from the line of accounting beside the records. The expected totals
# were computed from the records by another parser; the network totals are sums of eth0, ib0 and
# mic0.

raw=${NODOMETER_SHARED:-${srcdir:-.}/../shared}/data/raw/stampede-2013-1.0.5
[ -d "$raw" ] || { echo "SKIP: no $raw"; exit 77; }
report=$(pwd)/nodometer-report
out=$(mktemp) || exit 99
trap 'rm -f "$out" "$out.gp"' EXIT
failed=0

has() {
	grep -q -F -- "$1" "$out" || { echo "FAIL: no $1"; failed=1; }
}

# near KEY TIME: fail unless the report's time KEY is within a minute of TIME from accounting;
# prolog and epilog cause a difference
near() {
	got=$(grep -o "\"$1\":[0-9]*" "$out" | head -n 1)
	got=${got#*:}
	if [ "${got:-0}" -lt $(($2 - 60)) ] || [ "${got:-0}" -gt $(($2 + 60)) ]; then
		echo "FAIL: $1 is $got, the accounting says $2"
		failed=1
	fi
}

"$report" 1835740 --json --dir "$raw" >"$out" || { echo "FAIL: exit $?"; exit 1; }
IFS=: read -r job _ _ _ start end _ <"$raw/tacc_jobs_completed"
has "{\"job\":\"$job\",\"nodes\":7,"
has '"samples":105,"gaps":0,'
for want in cpu.user:903689.65 cpu.system:18874.41 cpu.idle:1786.89 block.rd_sectors:306782208 \
	block.wr_sectors:68255744 net.rx_bytes:1177365953 net.tx_bytes:9401606 \
	llite.read_bytes:168667980 llite.write_bytes:14221152911 lnet.tx_bytes:14460899366 \
	vm.pgfault:584234497 ib_sw.rx_bytes:7158381429208; do
	tr '{' '\n' <"$out" | grep -F "\"figure\":\"${want%:*}\"" |
		grep -q -F "\"total\":${want#*:}," || { echo "FAIL: not $want"; failed=1; }
done
has '"mem.hwm":9568768000'

# The counters of ib_ext are reset at each reading; type ib_sw has the same traffic, as counted by
# the switch.
tr '{' '\n' <"$out" | grep '^"figure":"ib_ext.port_rcv_data",.*"nodes":0,.*"nodes_resetting":7,' ||
	{ echo 'FAIL: ib_ext is known'; failed=1; }

# The area below the chart (rates in MiB/s times seconds) must be the counted total of seven nodes.
"${report%report}plot" 1835740 --dir "$raw" -o - llite:write_bytes >"$out.gp" || failed=1
awk '/<< EOD/ { n++; y = -1 }
	/^1[0-9.]* / { if (y == $2) sum += y * ($1 - x); x = $1; y = $2; points++ }
	END { sum *= 1.048576; exit !(n == 7 && points >= 42 && sum > 14207 && sum < 14236) }
	' "$out.gp" ||
	{ echo 'FAIL: the plot is not 14,221 MB on seven nodes'; failed=1; }
near start "$start"
near end "$end"

# Check the findings of real jobs. 70 % of the first job's CPU time is in the kernel; two jobs wrote
# 232,862 or more pages to swap; four jobs keep 1 or 4 of 16 CPUs busy; of the 16 processes of job
# 1836476, one is left at the end. The 30 other jobs have no finding.
"${report%report}jobs" --used --csv --dir "$raw" >"$out" 2>/dev/null
[ "$(sed 1d "$out" | wc -l)" = 38 ] || { echo "FAIL: other jobs: $(cat "$out")"; failed=1; }
found=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "findings") at = i; next }
	$at != "" { print $1, $at }' "$out" | sort)
[ "$found" = '1830387 kernel-time
1834568 swapping
1835925 serial
1835927 serial
1835929 serial
1836381 low-cpu
1836476 faded low-cpu
1836850 swapping' ] || { echo "FAIL: found of real jobs: $found"; failed=1; }

# On pages of real jobs, no line has more than 80 columns, and no word in a list is cut.
for dir in "${raw%/*}"/*/; do
	"${report%report}jobs" --used --dir "$dir" >"$out" 2>/dev/null
	jobs=$("${report%report}jobs" --csv --dir "$dir" 2>/dev/null | sed '1d; s/,.*//' | sort -u)
	for job in $jobs; do
		"$report" --dir "$dir" "$job" 2>/dev/null
	done >>"$out"
	"$report" --dir "$dir" --host '*' >>"$out" 2>/dev/null
	LC_ALL=C awk 'length > 80 || /^Also recorded.*[+]$/ { print; bad = 1 }
		END { exit bad }' "$out" ||
		{ echo "FAIL: ${dir##*/raw/}: too wide, or cut"; failed=1; }
done
exit $failed
