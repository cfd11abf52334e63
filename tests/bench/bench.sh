#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# bench.sh - cost of a sample: nodometer, only the reads of its files ("floor"), other agents, a
# large node
#
# Runs in the build folder, as `make bench`, for about ten minutes. ROUNDS=n and SECONDS_EACH=n
# change the duration. With SECONDS_EACH=0, only the large node is measured.
set -u
here=$(cd "$(dirname "$0")" && pwd)
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-7}
tmp=$(mktemp -d) || exit 1
memory=$(mktemp -d -p /dev/shm) || exit 1	# in memory, like /run
running=
trap '[ -z "$running" ] || kill $running; rm -rf "$tmp" "$memory"' EXIT
trap 'exit 1' INT TERM
. "$here/measure.sh"
. "$here/large.sh"
. "$here/peers.sh"
if [ "$seconds" = 0 ]; then
	print_large
	exit
fi

# Files that a sample of all types but proc reads in the steady state. /proc/net/dev replaces the
# netlink request. The floor program also calls statfs(2) for tmpfs mounts, and skips files that
# this kernel lacks.
shopt -s extglob
disks=$(echo /sys/block/!(loop*|ram*)/stat)
nodes=$(echo /sys/devices/system/node/node[0-9]*/{meminfo,numastat})
files="/proc/stat /proc/meminfo /proc/vmstat /proc/loadavg /proc/net/dev /proc/sysvipc/shm
	/proc/sys/fs/dentry-state /proc/sys/fs/file-nr /proc/sys/fs/inode-state
	/proc/pressure/cpu /proc/pressure/io /proc/pressure/memory
	$disks $nodes"
files=${files//[$'\n\t']/ }

cat >"$tmp/nodometer.conf" <<END
[agent]
dir         = $tmp/archive
runtime-dir = $memory
interval    = 1s
job-file    =
[types]
proc        = off
END
sed 's/^job-file.*/&\nbpf = no/' "$tmp/nodometer.conf" >"$tmp/files.conf"
mkdir "$tmp/archive" "$tmp/samples"
head -c 1700 /dev/zero >"$tmp/group"	# bytes of a record group with a mark

mounts=$(awk '$3 == "tmpfs" { print "-s " $2 }' /proc/mounts | sort -u | tr '\n' ' ')
floor="tests/bench/floor -b 6000 -o $tmp/floor.out $mounts"
sample="tests/bench/sample -o $tmp/samples"

# NAME | HOW | COMMAND | CLIENT. HOW is "loop": the command prints the ns of CPU time per sample;
# "agent": the command samples at 1 Hz until it is stopped, its CPU time comes from
# /proc/PID/schedstat, and a CLIENT may run at the same time; "each": 100 processes in a row;
# "once": one process.
rows="
floor, hot           |loop  |$floor -n 2000 $files
sample, hot          |loop  |$sample -n 2000
floor, cold          |loop  |$floor -n 20 -i 300 $files
sample, cold         |loop  |$sample -n 20 -i 300
floor, 1 Hz          |agent |$floor -n 0 -i 1000 $files
nodometerd, 1 Hz     |agent |./nodometerd --foreground --config $tmp/nodometer.conf
nodometerd, no BPF   |agent |./nodometerd --foreground --config $tmp/files.conf
$peers
/bin/true            |each  |/bin/true
nodometer begin      |each  |./nodometer begin bench --config $tmp/nodometer.conf
dd, one fdatasync    |each  |dd if=$tmp/group of=$tmp/synced oflag=append conv=notrunc,fdatasync
zstd -d, 50 MB raw   |once  |zstd -dqc $tmp/big.zst
read, every value    |once  |tests/bench/read_raw $tmp/big
nodometer check, same|once  |./nodometer-check $tmp/big
"

# Limits: NAME of a row | NAME of the row to divide by | largest ratio
bars="
sample, hot          |floor, hot         |1.10
sample, cold         |floor, cold        |1.15
nodometerd, 1 Hz     |floor, 1 Hz        |1.00
nodometerd, 1 Hz     |sadc -S ALL, 1 Hz  |0.4
nodometerd, 1 Hz     |collectd, 1 Hz     |0.1
nodometerd, 1 Hz     |node_exporter, 1 Hz|0.1
nodometer begin      |/bin/true          |1.4
read, every value    |zstd -d, 50 MB raw |1.0
nodometer check, same|zstd -d, 50 MB raw |1.0
"

# Counts, which no noise disturbs: name | command, with %n for the number of samples | limit of
# system calls | limit of instructions
counts="
floor                |$floor -n %n $files
sample               |$sample -n %n|26|40000
sadc -S ALL          |/usr/lib/sysstat/sadc -S ALL 1 %n $tmp/sadc.out
"

make_big "$tmp/big"
for ((round = 1; round <= rounds; round++)); do
	echo "round $round of $rounds" >&2
	each_line "$rows" measure
done

cat <<END

One sample of all types but proc: CPU time (user and system) in us, medians of $rounds interleaved
rounds; floor: a C program that only reads the same files
$(date +%F), $(nproc) CPUs, Linux $(uname -r)
hot: a loop; cold: 300 ms apart; 1 Hz: run time of the process over $seconds s, without its start

END
printf '%-22s %12s %12s\n' 'what' 'CPU us' 'RSS kB'
each_line "$rows" print_row
printf '\n%-22s %-22s %8s %8s %8s %8s\n' 'what' 'against' 'ratio' 'least' 'most' 'bar'
each_line "$bars" print_ratio
printf '\n%-22s %14s %12s %14s %14s\n' 'per sample' 'system calls' 'bar' 'instructions' 'bar'
each_line "$counts" print_counts
for n in 12 32; do	# n: seconds; the longer run hands two more batches to the writer
	sed "s,^dir .*,&.$n,; s,^runtime-dir .*,&/$n," "$tmp/nodometer.conf" >"$tmp/$n.conf"
done
agent="timeout --preserve-status %n ./nodometerd --foreground --config $tmp/%n.conf"
own=$(few=12 many=32 difference calls "$agent")
printf '%-22s %14s %12s\n' 'nodometerd, 1 Hz' "$own" "$(verdict "$own" 26)"
start ./nodometerd --foreground --config "$tmp/nodometer.conf" || exit 1
printf '\n%-22s %14s %12s %14s %12s %10s\n' 'per process' 'system calls' 'page faults' \
	'instructions' 'relocations' 'libraries'
print_process /bin/true /bin/true
print_process 'nodometer begin' "./nodometer begin bench --config $tmp/nodometer.conf"
stop
printf '\nwall time, p99: begin %s ms (bar 4); dd, which appends as much and syncs it, %s ms\n' \
	"$(p99_ms 'nodometer begin')" "$(p99_ms 'dd, one fdatasync')"
own=${rss[nodometerd, 1 Hz]:-0}
files=${rss[nodometerd, no BPF]:-0}
printf 'nodometerd, RSS: %s kB, bar %s; without BPF: %s kB, bar %s\n' "$own" \
	"$(verdict "$own" 8192)" "$files" "$(verdict "$files" 5120)"
print_large
[ "$own" = 0 ] || printf '\n%s %.1f ms of CPU time, and the agent has %d MB of memory.\n' \
	'A sample each second takes' "$(median 'nodometerd, 1 Hz')e-3" $(((own + 512) / 1024))
