#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# memory.sh - a job shorter than the interval has its own peak memory (high-water mark), or an
# unknown one
. "$(dirname "$0")/lib.sh"

# page: read lines "TIME ROW [MARK]", and write the page of the job. ROW is a row of type job, with
# commas between values. The programs on the node use 4 GiB.
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

# Samples exist only at the marks, before the programs begin and after they end: the page shows the
# kernel's peak.
page <<'END'
1700000000 0,0,0,0,0 %begin 7
1700000002 900000,4096,322646016,0,0 %end 7
END
has 'kernel peak' '^  memory  .*|   1.9 %  307.7 MiB of 16.00 GiB at the peak$'
has 'kernel peak' '^  memory, peak      *307.7 MiB$'
lacks 'kernel peak' 'resident, peak  *0 B'

# The memory still in use at the end mark is not the peak.
page <<'END'
1700000000 0,0,0,0,0 %begin 7
1700000002 900000,2097152,322646016,1048576,0 %end 7
END
has 'left at the end' '^  memory  .*|   1.9 %  307.7 MiB of 16.00 GiB at the peak$'

# If the kernel reports no peak, the job's memory is unknown, and the node's memory is not used
# instead.
page <<'END'
1700000000 0,0,-,0,0 %begin 7
1700000002 900000,4096,-,0,0 %end 7
END
lacks 'no peak' '^  memory  .*|'
lacks 'no peak' 'resident, peak  *0 B'

# If a sample was taken before the programs started, the page still shows the job's memory and not
# that of the node.
page <<'END'
1700000000 0,0,0,0,0 %begin 7
1700000001 0,4096,4096,0,0
1700000002 900000,4096,322646016,0,0 %end 7
END
has 'before the programs' '^  memory  .*|   1.9 %  307.7 MiB of 16.00 GiB at the peak$'

# The largest memory in any sample, also that at the end mark, is a lower bound of the peak.
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
