#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compare.sh - nodometer compare explains what differs between two runs of a program, or between two
# sets of runs
. "$(dirname "$0")/lib.sh"
src=$(cd "${srcdir:-.}" && pwd) || exit 99
archive=$work/archive

# ran NODE: write records of jobs on NODE, made by compare_archive.awk from lines on standard input
ran()
{
	mkdir -p "$archive/$1"
	awk -v DIR="$archive" -v NODE="$1" -f "$src/tests/report/compare_archive.awk" || exit 99
}
compare() { "$bin/nodometer-compare" --dir "$archive" "$@" 2>"$work/said"; }

ran n1 <<'end'
100 3600 3.00 8 2 1.00 llite 5
101 6000 1.80 8 2 1.00 llite 5
102 14400 3.00 2 2 1.00 llite 5
103 5760 3.00 8 60 1.60 llite 5
104 6000 3.00 8 2 1.00 nfs 43
110 3600 3.00 8 2 1.00 llite 5
111 3660 2.97 8 3 1.01 llite 6
112 3720 2.94 8 2 1.02 llite 5
120_1 5880 1.83 8 2 1.00 llite 5
120_2 6000 1.80 8 3 1.01 llite 5
120_3 6060 1.78 8 2 1.01 llite 6
130 3600 3.00 8 2 1.00 llite 5
131 4800 2.25 8 2 1.00 llite 5
132 4200 2.55 8 2 1.00 llite 5
140 3600 2.40 8 2 1.00 llite 5
141 3600 3.10 8 2 1.00 llite 5
end
# On each of four nodes the clock frequency differs between the two runs: higher in one run on some
# nodes, lower on the others.
i=2
for clocks in '3.00 2.60' '2.40 2.60' '2.90 2.50' '3.10 2.30'; do
	ran n$i <<-end
	200 3600 ${clocks% *} 8 2 1.00 llite 5
	201 3600 ${clocks#* } 8 2 1.00 llite 5
	end
	i=$((i + 1))
done

# explained A B SENTENCE...: compare A B must print these sentences as the differences, in this
# order
explained()
{
	sets="$1 $2"
	# shellcheck disable=SC2086 # two words
	compare $sets >"$work/page" || fail "$sets: $(cat "$work/said")"
	sed -n '/^Differences/,/^$/p' "$work/page" | sed '1d; $d; s/^ *//' | tr '\n' ' ' |
		sed 's/  *$//' >"$work/got"
	shift 2
	printf '%s ' "$@" | sed 's/  *$//' >"$work/want"
	cmp -s "$work/want" "$work/got" || fail "$sets: $(cat "$work/got")"
}

clock='A governor, a power cap, heat and wide vector instructions set the clock.'
explained 100 101 'B took 1.67 times as long as A: 1:40:00, and 1:00:00.' \
	"The clock of the CPUs was lower in B: 1.8 GHz, and 2.999 GHz in A. $clock" \
	'The job needed more CPU time in B: 12:40:12, and 7:36:07 in A.'
explained 100 102 'B took 4 times as long as A: 4:00:00, and 1:00:00.' \
	'Processes worked on fewer CPUs of a node in B: 2, and 8 in A.' \
	'Look at the binding: --cpus-per-task, --cpu-bind, taskset, OMP_PROC_BIND.' \
	'Processes waited longer for a CPU in B: 63.4 %, and 0.0 % in A.' \
	'More of the CPU time was unused in B: 7.5 %, and 0.0 % in A.' \
	'Found only for B: Processes waited for a CPU.' \
	'Found only for B: Many of the CPUs did nothing.'
explained 100 103 'B took 1.6 times as long as A: 1:36:00, and 1:00:00.' \
	'More memory was on another NUMA node than its processes in B: 60.0 %,' \
	'and 2.0 % in A.' \
	'Look at the binding: --cpu-bind, --mem-bind, numactl.' \
	'An instruction took more cycles in B: 1.6, and 1 in A.' \
	'The job needed more CPU time in B: 12:09:48, and 7:36:07 in A.' \
	'Found only for B: Memory was far from its CPUs.'
explained 104 100 'B took 0.6 of the time of A: 1:00:00, and 1:40:00.' \
	'Its files were in another file system in B: 18.63 GiB on Lustre, and 18.63 GiB on' \
	'NFS in A.' \
	'Processes waited less for I/O in B: 5.0 %, and 42.8 % in A.' \
	'The job moved fewer bytes to and from NFS in B: 0 B, and 18.63 GiB in A.' \
	'The job moved more bytes to and from Lustre in B: 18.63 GiB, and 0 B in A.' \
	'Found only for A: Processes waited for I/O.' \
	'Found only for A: Many of the CPUs did nothing.'

# An array job stands for the set of its tasks. Differences within the spread of runs or nodes are
# not reported.
explained 110,111,112 120 'B took 1.63 times as long as A: 1:39:40, and 1:01:00.' \
	"The clock of the CPUs was lower in B: 1.803 GHz, and 2.969 GHz in A. $clock" \
	'The job needed more CPU time in B: 12:34:59, and 7:42:06 in A.'
grep -q '^B is 3 runs: 120_1, 120_2, 120_3$' "$work/page" || fail 'tasks of an array'
grep -q '^  length  *1:01:00 +- 0:01:00  *1:39:40 +- 0:01:32 \*$' "$work/page" ||
	fail "with spread: $(cat "$work/page")"
nothing='Nothing that is known differs beyond the spread.'
explained 130,131,132 140,141 \
	'B took as long as A, within 5 % or the spread of runs: 1:00:00, and 1:10:00.' "$nothing"
explained 200 201 \
	'B took as long as A, within 5 % or the spread of runs: 1:00:00, and 1:00:00.' "$nothing"
explained 100 100 \
	'B took as long as A, within 5 % or the spread of runs: 1:00:00, and 1:00:00.' "$nothing"
grep -q '^  U user                |############## |  94.5 % |############## |  94.5 %$' \
	"$work/page" || fail "parts: $(cat "$work/page")"
awk 'length > 80 { exit 1 }' "$work/page" || fail 'more than 80 columns'

compare 100 101 --json >"$work/json" || fail "as JSON: $(cat "$work/said")"
grep -q '^{"a":{"jobs":\["100"\],"parts":{"given":28800,"user":27223\.2[0-9]*,.*"b":{"jobs":'\
'\["101"\].*'\
'{"measure":"clock","a":2\.99[0-9]*,"b":1\.[0-9]*,"differs":true}.*"differences":\[{"measure":'\
'"clock","explains":true,"says":"The clock .*"schema":1}$' "$work/json" ||
	fail "as JSON: $(cat "$work/json")"

# refused STATUS WHAT ARG...: nodometer compare ARG... must exit with STATUS and the error WHAT
refused()
{
	status=$1 what=$2
	shift 2
	compare "$@" >/dev/null
	[ $? = "$status" ] || fail "status of $*"
	grep -q -e "$what" "$work/said" || fail "$*: $(cat "$work/said")"
}
refused 1 'no records of job 99 below' 100 99
refused 1 'no records of job 98 below' 100,98 101
refused 2 'two jobs, or two lists of jobs' 100
refused 2 'two jobs, or two lists of jobs' 100 101 102
refused 2 'job 101 is named twice' 100 101,101
refused 2 '"," contains no job id' 100 ,
# A run with a single sample has no values of counters, because nothing can be subtracted.
mkdir -p "$archive/n9"
printf '%s\n' '$hpcperfstats 1.0.2' '$hostname n9' '!cpu user,E,U=cs idle,E,U=cs' '' \
	'1700000000 300' '%begin 300' '%end 300' 'cpu 0 1 1' >"$archive/n9/1700000000"
refused 1 '300: no figure that can be compared' 100 300
exit $failed
