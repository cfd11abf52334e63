# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# job_lib.sh - a tree of cgroups for tests of jobs, which act as Slurm and as the kernel; the agent
# takes no regular sample during a test
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

root=$scratch/root
cgroups=$root/sys/fs/cgroup
mkdir -p "$root/proc"
echo '100.00 200.00' >"$root/proc/uptime"
# The tree has 64 CPUs, enough for the CPU time that a test adds to a job within a second.
seq -f 'cpu%g 1 2 3 4' 0 63 >"$root/proc/stat"
printf 'cpu  1 2 3 4\n' >>"$root/proc/stat"

# put_v2 CGROUP USEC [PEAK]: set the CPU time and peak memory of a cgroup v2; files are written in
# place, because the kernel keeps their inodes
put_v2() {
	mkdir -p "$cgroups/$1"
	echo "${3:-4096}" >"$cgroups/$1/memory.peak"
	printf 'usage_usec %d\nuser_usec %d\nsystem_usec 0\n' "$2" "$2" >"$cgroups/$1/cpu.stat"
}

# put_v1 CGROUP USEC [PEAK]: set the same values in two controllers of cgroup v1; user time has
# steps of 10 ms
put_v1() {
	mkdir -p "$cgroups/memory/$1" "$cgroups/cpuacct/$1"
	echo "${3:-4096}" >"$cgroups/memory/$1/memory.max_usage_in_bytes"
	printf 'user %d\nsystem 0\n' $(($2 / 10000)) >"$cgroups/cpuacct/$1/cpuacct.stat"
	echo $(($2 * 1000)) >"$cgroups/cpuacct/$1/cpuacct.usage"
}

# remove CGROUP...: remove cgroups as the kernel does: the agent then reads nothing from files that
# it keeps open. The kernel never gives a new cgroup the inode of an old one; descriptors 4 and 5
# keep the inodes of the last cgroup in use, so that this is so here.
remove() {
	for group; do
		[ ! -e "$cgroups/$group/cpu.stat" ] || exec 4<"$cgroups/$group/cpu.stat"
		[ ! -e "$cgroups/$group/memory.peak" ] || exec 5<"$cgroups/$group/memory.peak"
		for tree in "$cgroups" "$cgroups/memory" "$cgroups/cpuacct"; do
			[ -d "$tree/$group" ] || continue
			find "$tree/$group" -type f -exec truncate -s 0 {} +
			rm -r "${tree:?}/$group"
		done
	done
}

# rows JOB: print the number of rows of the job in the archive
rows() {
	raw_text | awk -v job="$1" '$1 == "job" && $2 == job { n++ } END { print n + 0 }'
}

# last JOB COLUMN: print a column of the job's newest row
last() {
	raw_text | awk -v job="$1" -v column="$2" '
		$1 == "!job" { for (i = 2; i <= NF; i++) { split($i, k, ","); at[k[1]] = i + 1 } }
		$1 == "job" && $2 == job { v = $at[column] } END { print v }'
}
# is_read FILE: succeed if the agent has read FILE since $scratch/written was written
is_read() {
	[ -n "$(find "$1" -anewer "$scratch/written")" ]
}
ended() {
	[ "$(count "%end $1")" = 1 ]
}
# figure JOB KEY: print the total or the peak of KEY in the job's report, after "at least" if it is
# only a lower bound
figure() {
	"$bin/nodometer-report" "$1" --dir "$archive" --json | sed 's/[{,]/\n/g' | awk -v key="$2" '
		/^"figure":/ { of = $0 == "\"figure\":\"job." key "\"" }
		of && sub(/^"(total|max)":/, "") { text = $0 }
		of && sub(/^"at_least":true/, "") { text = "at least " text }
		END { print text }'
}

# freeze: stop the agent, so that it sees all changes until go_on() as one change
freeze() {
	kill -STOP "$agent"
}
go_on() {
	kill -CONT "$agent"
}
began() {
	[ "$(count "%begin $1")" = 1 ]
}

scope=system.slice/slurmstepd.scope
