#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs_states.sh - nodometer jobs shows how each job ended, or that its end could not be read
. "$(dirname "$0")/jobs_lib.sh"

# A job's state is in its end mark or follows from the exit code; of several nodes, the worst end
# counts. A job that began within the last hour and has no end is running. Records and indexes give
# the same states.
now=$(date +%s)
file n1 1700000000 <<END
1700000000 1,2,3,4,5,6 %begin 1 user=ann
1700000600 1,2,3,4,5,6
1700001200 1,2,3,4,5,6 %end 1 exit=0:0
1700001210 2,3,4,5,6 %end 2 exit=3:0
1700001220 3,4,5,6 %end 3 exit=0:15
1700001230 4,5,6 %end 4 exit=0:0 state=TIMEOUT
1700001240 5,6 %end 5 exit=0:11
1700001250 6 %end 6 exit=0:0
END
file n2 1700000000 <<END
1700000000 6 %begin 6 user=ann
1700001250 6 %end 6 exit=1:0 state=OUT_OF_MEMORY
END
file n3 $((now - 60)) <<END
$((now - 60)) 7 %begin 7 user=ann
END
states='1 COMPLETED
2 FAILED 3
3 CANCELLED
4 TIMEOUT
5 FAILED signal 11
6 OUT_OF_MEMORY
7 RUNNING'
for form in records indexes; do
	lists --sort job
	got=$(awk 'NR > 1 { id = $1; $1 = $2 = $3 = $4 = $5 = $6 = ""; print id $0 }' "$work/out")
	[ "$(echo "$got" | tr -s ' ')" = "$states" ] ||
		fail "states from $form: $(cat "$work/out")"
	lists --json
	has "states from $form, as JSON" '"job":"4",.*"state":"TIMEOUT","exit":"0:0"'
	compress n1 n2
done
lists --format --sort job
has 'a failed job, in columns' '^2      FAILED  *00:20:10 '

# A failed job whose processes the kernel killed for lack of memory has the state OUT_OF_MEMORY.
killed=$work/killed
cp -R "${srcdir:-.}/tests/report/found-killed/archive" "$killed"
lists --dir "$killed" --used
has 'killed for memory' ', OUT_OF_MEMORY, exit 0:9'
"$bin/nodometer-report" --dir "$killed" 7 --json |
	grep -q '"state":"OUT_OF_MEMORY","exit":"0:9"' || fail 'killed for memory, as JSON'

# If the file of one of a job's two nodes is truncated, the list says that the job ended on one of
# them.
rm -rf "$work/a"
file n1 1700000000 <<END
1700000000 7 %begin 7 user=ann nodes=2
1700000600 7,8 %begin 8 user=ann
1700001200 - %end 7
1700001800 - %end 8
END
file n2 1700000000 <<END
1700000000 - %a note
END
printf '\nnonsense\n' >>"$work/a/n2/1700000000"
refused 'a truncated file' n2/1700000000 jobs --dir "$work/a"
is 'a truncated file' 'JOB            USER       NODES  START                  LENGTH  STATE
7              ann          1/2  2023-11-14 22:13:20     0:20:00  ended on some
8              ann           1+  2023-11-14 22:23:20     0:20:00  ended on some'
file n2 1700099999 <<END
END
printf '\nnonsense\n' >>"$work/a/n2/1700099999"
refused 'a file without records' n2/1700099999 jobs --dir "$work/a"

# A damaged file without records may hide ends of jobs between its start and the next file's start.
rm -rf "$work/a"
file n1 1700000000 <<END
1700000000 7 %begin 7
1700001000 7 %end 7
1700100000 8 %begin 8
1700101000 8 %end 8
1700200000 9 %begin 9
1700201000 9 %end 9
END
for at in 1700000000 1700150000; do
	file n2 $at <<-END
	$at -
	END
done
file n2 1700099999 <<END
END
printf '\nnonsense\n' >>"$work/a/n2/1700099999"
refused 'a damaged file' n2/1700099999 jobs --dir "$work/a" --csv
[ "$(cut -d , -f 1,9 "$work/out" | tr '\n' ' ')" = 'job,hosts_unread 7,0 8,1 9,0 ' ] ||
	fail "jobs around a damaged file: $(cat "$work/out")"

# An unreadable line hides no later job, in the list or on the pages of a site. If the line may have
# been the end of a job, the list says so.
rm -rf "$work/a"
file n1 1700000000 <<END
1700000000 5 %begin 5
1700000600 5
1700001200 6 %begin 6
1700001800 6 %end 6
END
sed -i '/^1700000600/a nonsense - 1' "$work/a/n1/1700000000"
refused 'a bad line' '1700000000: some of it cannot be read' jobs --dir "$work/a"
[ "$(sed 1d "$work/out")" = \
'5              -             1+  2023-11-14 22:13:20     0:10:00  end unread
6              -              1  2023-11-14 22:33:20     0:10:00  ended' ] ||
	fail "jobs around a bad line: $(cat "$work/out")"
refused 'a bad line, on a site' '' site --dir "$work/a" --out "$work/site"
for job in 5 6; do
	grep -rq "job $job\b\|>$job<" "$work/site" || fail "job $job is not on the site"
done
# A node on which the same job began twice counts as one node.
rm -rf "$work/a"
file n1 1700000000 <<'END'
1700000000 4 %begin 4
1700000400 4 %end 4
1700000500 4 %begin 4
1700001000 4 %end 4
END
file n2 1700000000 <<'END'
1700000000 4 %begin 4
1700000500 4
1700001000 4 %end 4
END
lists --csv
has 'a job that began twice on a node' '^4,,2,1700000000.000000,1000.000000,2,2,'
exit $failed
