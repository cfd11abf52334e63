#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs.sh - nodometer jobs lists the jobs of an archive, and gives the same list from records and
# from indexes
. "$(dirname "$0")/jobs_lib.sh"

three_jobs
all="$columns
7,ann,2,1700000000.000000,1810.000000,2,2,,0,,,
12_3,,1,1700001200.000000,85200.000000,0,0,,0,,,
7,bob,1,1701000000.000000,0.000000,1,0,,0,,,"
lists --csv
is 'all of plain files' "$all"
compress n1 n2
if [ -e "$work/a/n1/1700000000.zst" ]; then
	lists --csv
	is 'all, from indexes' "$all"
	taskset -c 0 "$bin/nodometer-jobs" --dir "$work/a" --csv >"$work/out"
	is 'all, by one process' "$all"
fi

lists --json --user ann
is 'of a user' '{"job":"7","user":"ann","nodes":2,"start":1700000000.000000,'\
'"length":1810.000000,"begun":2,"ended":2,"samples":6,"schema":1}'
lists --csv --sort length --host n1 --until 1700005000
is 'of a host, until a time: all of those jobs' "$columns
12_3,,1,1700001200.000000,85200.000000,0,0,,0,,,
7,ann,1,1700000000.000000,1800.000000,1,1,,0,,,"
lists --since 1700086401
is 'since a time' 'JOB            USER       NODES  START                  LENGTH  STATE
7              bob            1  2023-11-26 12:00:00     0:00:00  no end'
refused 'an unknown key' 'use start, length' jobs --sort size

# Each run of a job id has its own row, as in a report. The first run has two hosts. The end mark of
# the second run is lost. The third run begins while records still name the second run, and
# continues in the next file.
rm -rf "$work/a"
file n1 1700000000 <<END
1700000000 95 %begin 95 user=ann nodes=2 account=phys partition=small name=sweep
1700000600 95
1700001200 95 %end 95
1700001800 95
1700090000 95 %begin 95 user=ann nodes=2
1700090600 95
1700091200 -
1700180000 95 %begin 95 user=ann nodes=2
END
file n1 1700180600 <<END
1700180600 95
1700181200 95 %end 95
END
file n2 1700000000 <<END
1700000010 95 %begin 95 user=ann nodes=2
1700001210 95 %end 95
1700090010 95 %begin 95 user=ann nodes=2
1700090610 95
1700091210 -
1700180010 95 %begin 95 user=ann nodes=2
1700181210 95 %end 95
END
runs="$columns
95,ann,2,1700000000.000000,1210.000000,2,2,2,0,phys,small,sweep
95,ann,2,1700090000.000000,610.000000,2,0,2,0,,,
95,ann,2,1700180000.000000,1210.000000,2,2,2,0,,,"
lists --csv
is 'runs of one id' "$runs"
compress n1
lists --csv
is 'runs of one id, from indexes' "$runs"
# Indexes of older versions have one line for all runs of a job id.
for packed in "$work"/a/n1/*.zst; do
	printf 1 | dd bs=1 seek=$(($(wc -c <"$packed") - 1)) conv=notrunc of="$packed" 2>/dev/null
done
lists --csv
is 'runs of one id, beside older indexes' "$runs"
for row in 1700000000,1210 1700090000,610 1700180000,1210; do
	start=${row%,*} duration=${row#*,}
	"$bin/nodometer-report" --dir "$work/a" --until "$start" --json 95 >"$work/out" \
		2>"$work/said"
	times="\"start\":${start}[.]0*,.*\"duration\":${duration}[.]0*,\"samples"
	has "report until $start" "^{\"job\":\"95\",.*$times"
done
lists --json
has 'attributes as JSON' \
	'"job":"95","name":"sweep","account":"phys","partition":"small","user":"ann"'

# Job 0, which tacc_stats used for idle nodes, is not listed. A long id has a line of its own.
rm -rf "$work/a"
file n1 1700000000 <<END
1700000000 0
1700000600 4711[12].a-server.example.org %begin 4711[12].a-server.example.org user=ann
1700001200 0
END
lists
is 'idle time' 'JOB            USER       NODES  START                  LENGTH  STATE
4711[12].a-server.example.org ann
                              1  2023-11-14 22:23:20     0:00:00  no end'
exit $failed
