#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# memory.sh - the report of a job shorter than the interval has the job's own peak memory
# (high-water mark), or none
. "$(dirname "$0")/lib.sh"

# page: write a job's report from lines "TIME ROW [MARK]" on standard input to $work/out. ROW is a
# row of type job, with commas between its values. All programs on the node use 4 GiB.
page()
{
	mkdir -p "${work:?}/a/n1"
	{
		# shellcheck disable=SC2016 # properties, not variables
		printf '$hpcperfstats 1.0.2\n$hostname n1\n'
		echo '!job cpu,E,U=us mem,U=B mem_peak,U=B anon,U=B shmem,U=B'
		echo '!mem MemTotal,U=KB MemUsed,U=KB FilePages,U=KB Slab,U=KB'
		while read -r time row mark; do
			printf '\n%s 7\n%sjob 7 %s\nmem - 16777216 4194304 0 0\n' "$time" \
				"${mark:+$mark
}" "$(echo "$row" | tr , ' ')"
		done
	} >"$work/a/n1/1700000000"
	"${bin:?}/nodometer-report" --dir "$work/a" 7 >"$work/out" 2>&1 ||
		fail "report: $(cat "$work/out")"
}
has()
{
	grep -q "$2" "$work/out" || fail "$1: no \"$2\": $(cat "$work/out")"
}
lacks()
{
	! grep -q "$2" "$work/out" || fail "$1: \"$2\": $(cat "$work/out")"
}

# If samples exist only at the marks, before the programs begin and after they end, the report shows
# the peak that the kernel recorded.
page <<'END'
1700000000 0,0,0,0,0 %begin 7
1700000002 900000,4096,322646016,0,0 %end 7
END
has 'kernel peak' '^  memory  .*|   1.9 %  307.7 MiB of 16.00 GiB at the peak$'
has 'kernel peak' '^  memory, peak      *307.7 MiB$'
lacks 'kernel peak' 'resident, peak  *0 B'

# Memory that is still in use at the end mark is not taken for the peak.
page <<'END'
1700000000 0,0,0,0,0 %begin 7
1700000002 900000,2097152,322646016,1048576,0 %end 7
END
has 'left at the end' '^  memory  .*|   1.9 %  307.7 MiB of 16.00 GiB at the peak$'

# If the kernel records no peak, the report shows no memory of the job, and not the memory of the
# node instead.
page <<'END'
1700000000 0,0,-,0,0 %begin 7
1700000002 900000,4096,-,0,0 %end 7
END
lacks 'no peak' '^  memory  .*|'
lacks 'no peak' 'resident, peak  *0 B'

# If a sample was taken before the programs started, the report still shows the job's memory, not
# the node's.
page <<'END'
1700000000 0,0,0,0,0 %begin 7
1700000001 0,4096,4096,0,0
1700000002 900000,4096,322646016,0,0 %end 7
END
has 'before the programs' '^  memory  .*|   1.9 %  307.7 MiB of 16.00 GiB at the peak$'

# The largest memory in any sample, also in the sample of the end mark, is a lower bound of the
# peak.
page <<'END'
1700000000 0,0,0,0,0 %begin 7
1700000001 100000,2097152,2097152,1048576,0
1700000002 900000,4194304,5242880,3145728,0 %end 7
END
has 'middle' '^  memory  .*>= 3.000 MiB of 16.00 GiB at the peak$'
has 'middle' '^  resident, peak  *3.000 MiB$'

# Without a cgroup, the run's memory is the kernel's peak of its largest process.
dd='dd if=/dev/zero of=/dev/null bs=64M count=1'
# shellcheck disable=SC2086 # words to split
"$bin/nodometer-run" -i 1min --dir "$work/run" -- $dd >"$work/out" 2>&1 ||
	fail "run: $(cat "$work/out")"
has 'run' '^  memory, peak  *[67][0-9]\.[0-9]* MiB'
has 'run' '^  memory  .*>= [67][0-9]\.[0-9]* MiB of'
lacks 'run' 'resident, peak  *0 B'
exit "${failed:?}"
