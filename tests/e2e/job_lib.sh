# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# job_lib.sh - a tree of cgroups for tests of jobs: the test plays Slurm and the kernel; no sample
# is due soon
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

root=$scratch/root
cgroups=$root/sys/fs/cgroup
mkdir -p "$root/proc"
echo '100.00 200.00' >"$root/proc/uptime"
# There are enough CPUs for all times that jobs use within a second.
seq -f 'cpu%g 1 2 3 4' 0 63 >"$root/proc/stat"
printf 'cpu  1 2 3 4\n' >>"$root/proc/stat"

# put_v2 CGROUP USEC [PEAK]: set the counters of cgroup v2; files are written in place, as in the
# kernel
put_v2() {
	mkdir -p "$cgroups/$1"
	echo "${3:-4096}" >"$cgroups/$1/memory.peak"
	printf 'usage_usec %d\nuser_usec %d\nsystem_usec 0\n' "$2" "$2" >"$cgroups/$1/cpu.stat"
}

# put_v1: set the counters of cgroup v1, in two controllers; user time is in steps of 10 ms
put_v1() {
	mkdir -p "$cgroups/memory/$1" "$cgroups/cpuacct/$1"
	echo "${3:-4096}" >"$cgroups/memory/$1/memory.max_usage_in_bytes"
	printf 'user %d\nsystem 0\n' $(($2 / 10000)) >"$cgroups/cpuacct/$1/cpuacct.stat"
	echo $(($2 * 1000)) >"$cgroups/cpuacct/$1/cpuacct.usage"
}

# remove CGROUP...: remove cgroups as the kernel does: files that the agent keeps open then read
# nothing. The kernel never gives a new cgroup the inode of an old one, so descriptors 4 and 5 keep
# the inodes of the last cgroup in use.
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

# rows JOB: print how many rows of the job there are
rows() {
	raw_text | awk -v job="$1" '$1 == "job" && $2 == job { n++ } END { print n + 0 }'
}

# last JOB COLUMN: print a column of the job's newest row
last() {
	raw_text | awk -v job="$1" -v column="$2" '
		$1 == "!job" { for (i = 2; i <= NF; i++) { split($i, k, ","); at[k[1]] = i + 1 } }
		$1 == "job" && $2 == job { v = $at[column] } END { print v }'
}
# is_read FILE: succeed if the agent has read FILE since it was written
is_read() {
	[ -n "$(find "$1" -anewer "$scratch/written")" ]
}
ended() {
	[ "$(count "%end $1")" = 1 ]
}
# figure JOB KEY: print the total or the peak of a figure, after "at least" if it is only a lower
# bound
figure() {
	"$bin/nodometer-report" "$1" --dir "$archive" --json | sed 's/[{,]/\n/g' | awk -v key="$2" '
		/^"figure":/ { of = $0 == "\"figure\":\"job." key "\"" }
		of && sub(/^"(total|max)":/, "") { text = $0 }
		of && sub(/^"at_least":true/, "") { text = "at least " text }
		END { print text }'
}

# freeze: stop the agent, so that all changes until it continues happen at one moment
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
