#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dashboards.sh - queries of the dashboards of node_exporter and jobstats find series in nodometer's
# metrics
. "$(dirname "$0")/lib.sh"
. "$srcdir/tests/e2e/nvml_lib.sh"
cases=$srcdir/tests/collectors lists=$srcdir/tests/e2e/dashboards

# Combine captured trees of tests/collectors into the root of one node, which has most types that
# the dashboards use. The other types are sampled on this machine.
root=$scratch/root
mkdir -p "$root"
types='cpu cpu_virt mem meminfo meminfo_more vm ps psi block ib job netstat sockstat softnet
	schedstat kernel net_link nfs_calls cpufreq thermal_throttle vfs'
for case in kernel/6.18-kernel cpu_virt/6.18-kernel \
	mem/sparse-nodes meminfo/6.18-kernel vm/6.18-kernel \
	psi/linux-6.6 block/kinds ib/64-bit job/slurm-v2 netstat/6.18-kernel \
	sockstat/6.18-kernel softnet/6.18-kernel schedstat/6.18-kernel net_link/kinds \
	nfs_calls/6.1-kernel cpufreq/intel_pstate thermal_throttle/cpus vfs/all; do
	cp -R "$cases/$case/root/." "$root/" || fail "no case $case"
done
echo '0.10 0.20 0.30 1/100 4242' >"$root/proc/loadavg"
printf '%s\n' 'cpu  9 1 9 9 1 1 1 1 1 1' 'cpu0 9 1 9 9 1 1 1 1 1 1' 'intr 9 1' 'ctxt 7' \
	'btime 1700000000' 'processes 7' 'procs_running 1' 'procs_blocked 0' >"$root/proc/stat"
echo 'oom_kill 2' >>"$root/proc/vmstat"
echo 'HardwareCorrupted:     0 kB' >>"$root/proc/meminfo"
write_config
# take FILE WORD...: run collect with WORDs, and write its sample to FILE as a sample of host n1 on
# which job 3385 runs
take()
{
	file=$1
	shift
	nodometer collect --stdout --config "$conf" "$@" >"$scratch/raw" 2>"$scratch/err" ||
		fail "collect $*: $(cat "$scratch/err")"
	sed -e 's/^\$hostname .*/$hostname n1/' -e 's/^\([0-9][0-9.]*\) -$/\1 3385/' \
		"$scratch/raw" >"$file"
}
# shellcheck disable=SC2086 # words
take "$scratch/tree.raw" --root "$root" $types
LD_LIBRARY_PATH=$scratch take "$scratch/gpu.raw" nvidia_gpu
take "$scratch/here.raw" filesystem net tcp
for name in tree gpu here; do
	nodometer export --to openmetrics "$scratch/$name.raw" 2>"$scratch/err" ||
		fail "export of $name: $(cat "$scratch/err")"
done | grep -v '^#' >"$scratch/series"

# compare LIST QUERIES BAR: fail unless the dashboard in LIST.list has QUERIES queries, and at least
# BAR of them find data
compare()
{
	got=$(awk -v LACKS="$scratch/lacks" -f "$lists/count.awk" "$lists/$1.list" \
		"$scratch/series") || fail "count.awk of $1"
	echo "$1: $got queries have data; without: $(sort -u "$scratch/lacks" | tr '\n' ' ')"
	[ "${got#* of }" -eq "$2" ] || fail "$1.list has ${got#* of } queries"
	[ "${got%% *}" -ge "$3" ] || fail "$1: only $got queries have data"
}
compare jobstats 53 49
compare node_exporter 257 210

# InfiniBand series have the names and labels of node_exporter, and their label "device" does not
# contain the port.
! grep '^node_infiniband_.*device="[^"]*[.]' "$scratch/series" || fail 'a device with a port'
! grep '^node_infiniband_port_\(link\|symbol\|multicast\|unicast\|transmit_wait_total_\)' \
	"$scratch/series" || fail 'a name that node_exporter does not have'

# A label from --label keeps its value if a metric has a label of the same name. OpenMetrics text
# for scraping has neither "instance" nor "job", because the scraper adds these labels.
nodometer export --to openmetrics --label instance=a --label job=b "$scratch/tree.raw" \
	>"$scratch/labels"
grep -q '^node_load1{host="n1",instance="a",job="b"} ' "$scratch/labels" || fail 'labels'
nodometer export --to prometheus "$scratch/tree.raw" >"$scratch/page"
! grep -q 'instance=\|[{,]job=' "$scratch/page" || fail 'labels of a scrape on a page'
