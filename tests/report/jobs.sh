#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs.sh - nodometer jobs lists what is in an archive, and the same from indexes as from records
. "$(dirname "$0")/lib.sh"
# file HOST EPOCH, the records on standard input: "SECONDS JOBS [MARK]"
file()
{
	mkdir -p "$work/a/$1"
	: >"$work/a/$1/lock"
	{
		# shellcheck disable=SC2016 # properties, not variables
		printf '$hpcperfstats 1.0.2\n$hostname %s\n!vm pgpgin,E\n' "$1"
		while read -r time jobs mark; do
			printf '\n%s %s\n%s%svm - 1\n' "$time" "$jobs" "$mark" "${mark:+
}"
		done
	} >"$work/a/$1/$2"
}
lists()
{
	"$bin/nodometer-jobs" --dir "$work/a" "$@" >"$work/out" 2>"$work/said" ||
		fail "jobs $*: $(cat "$work/said")"
}
is()
{
	[ "$(cat "$work/out")" = "$2" ] || fail "$1: $(cat "$work/out")"
}

file n1 1700000000 <<END
1700000000 7 %begin 7 user=ann
1700000600 7
1700001200 7,12_3
1700001800 12_3 %end 7
END
file n1 1700086400 <<END
1700086400 12_3
1701000000 7 %begin 7 user=bob
END
file n2 1700000000 <<END
1700000010 7 %begin 7 user=ann
1700001810 - %end 7
END

columns=job,user,nodes,start,length,begun,ended,nodes_asked,hosts_unread,account,partition,name
all="$columns
7,ann,2,1700000000.000000,1810.000000,2,2,,0,,,
12_3,,1,1700001200.000000,85200.000000,0,0,,0,,,
7,bob,1,1701000000.000000,0.000000,1,0,,0,,,"
lists --csv
is 'all of plain files' "$all"
for host in n1 n2; do
	"$bin/nodometer-tidy" --compress "$work/a/$host" || fail "not compressed: $host"
done
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

# What accounting says: the id as the user writes it, the name and the state; the last line of a job
# counts, and neither steps nor the tasks that wait are jobs.
cat >"$work/sacct" <<'END'
JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode|TimelimitRaw|NNodes
6_1|7|first try|bob|phys|small|NODE_FAIL|1:0|60|1
6_1|7|sweep|bob|phys|small|CANCELLED by 1000|0:15|60|3
6_1.batch|7.batch|batch||||CANCELLED|0:15||1
6_[2-9]|6|sweep|bob|phys|small|PENDING|0:0|60|1
8|8|a|b|ann|phys|small|COMPLETED|0:0|60|1
END
lists --since 1700086401 --sacct "$work/sacct"
is 'with accounting' "\
JOB            USER       NODES  START                  LENGTH  STATE
6_1            bob            1  2023-11-26 12:00:00     0:00:00  CANCELLED
    name sweep"
grep -q "sacct:6: not 10 columns: left out" "$work/said" || fail "said: $(cat "$work/said")"
lists --since 1700086401 --sacct "$work/sacct" --csv
is 'the same as CSV' "$columns,slurm_id,state,exit
7,bob,1,1701000000.000000,0.000000,1,0,,0,phys,small,sweep,6_1,CANCELLED,0:15"
lists --since 1700086401 --sacct - --json <"$work/sacct"
is 'the same as JSON' '{"job":"7","slurm_id":"6_1","name":"sweep","account":"phys",'\
'"partition":"small","state":"CANCELLED","exit":"0:15","user":"bob","nodes":1,'\
'"start":1701000000.000000,"length":0.000000,"begun":1,"ended":0,"samples":1,"schema":1}'

# report takes the array, and one of it; what marks do not say comes from accounting.
reports()
{
	"$bin/nodometer-report" --dir "$work/a" --since 1700086401 --sacct "$work/sacct" "$@" \
		>"$work/out" 2>"$work/said"
}
for name in 6 6_1 7; do
	reports $name 7 || fail "report $name: $(cat "$work/said")"
	for line in '  name      sweep' \
		'Job 7, 6_1  (bob, account phys, partition small)' \
		'  CANCELLED, exit 0:15 (signal 15: Terminated)' \
		'  The job had 3 nodes, there are records of 1: 2 missing'; do
		[ "$(grep -cFx "$line" "$work/out")" = 1 ] ||
			fail "report $name: $(cat "$work/out")"
	done
done
reports --json 6_1 || fail "report --json: $(cat "$work/said")"
grep -q '^{"job":"7","slurm_id":"6_1",' "$work/out" || fail "$(head -c 200 "$work/out")"
reports 6_2 && fail 'a task that did not run has a report'
printf 'JobID|State\n7|FAILED\n' >"$work/sacct"
for command in 'nodometer-jobs' 'nodometer-report 7'; do
	# shellcheck disable=SC2086 # the command and its job
	"$bin/"$command --dir "$work/a" --sacct "$work/sacct" >"$work/out" 2>"$work/said" &&
		fail "$command: without JobIDRaw"
	grep -q 'want the columns JobID and JobIDRaw: sacct --parsable2 --format=' "$work/said" ||
		fail "$command: $(cat "$work/said")"
done
"$bin/nodometer-jobs" --dir "$work/a" --sacct "$work/none" 2>"$work/said" &&
	fail 'no file: status 0'
grep -q 'none: No such file' "$work/said" || fail "no file: $(cat "$work/said")"

# busy JOB SHARE MEMORY: a job of two CPUs for an hour, on a node of its own
busy()
{
	mkdir -p "$work/u/node-$1"
	{
		# shellcheck disable=SC2016 # properties, not variables
		printf '$hpcperfstats 1.0.2\n$hostname node-%s\n' "$1"
		printf '!cpu user,E,U=cs system,E,U=cs idle,E,U=cs\n!mem MemTotal,U=KB '
		printf 'MemUsed,U=KB FilePages,U=KB Slab,U=KB\n'
		for i in 0 1 2 3 4 5 6; do
			at=$((i * 600)) user=$((i * 600 * $2)) idle=$((i * 600 * (100 - $2)))
			printf '\n%d %s\n' $((1700000000 + at)) "$1"
			[ $i = 0 ] && echo "%begin $1 user=ann nodes=1"
			[ $i = 6 ] && echo "%end $1 exit=0:0"
			printf 'cpu %d %d 0 %d\n' 0 $user $idle 1 $user $idle
			printf 'mem 0 8388608 %d 0 0\n' "$3"
		done
	} >"$work/u/node-$1/1700000000"
}
busy 21 97 6291456
busy 22 10 1048576
busy 23 50 7340032
used()
{
	"$bin/nodometer-jobs" --dir "$work/u" "$@" >"$work/out" 2>"$work/said" ||
		fail "jobs $*: $(cat "$work/said")"
}
used --worst 2
tr -s ' ' <"$work/out" >"$work/words" && mv "$work/words" "$work/out"
is 'the worst two' 'JOB USER NODES START LENGTH CPUS GPUS UNUSED
22 ann 1 2023-11-14 22:13:20 1:00:00 10% - 0.9
 memory 1.000 GiB, COMPLETED, exit 0:0, low-cpu
23 ann 1 2023-11-14 22:13:20 1:00:00 50% - 0.5
 memory 7.000 GiB, COMPLETED, exit 0:0, low-cpu'
used --sort unused --csv --user ann
time=1700000000.000000,3600.000000
is 'all of them, in columns' "$columns,cpus_percent,\
memory_percent,gpus_percent,time_percent,memory_peak,joules,joules_from,share,share_joules,\
share_least,share_most,unused_node_hours,findings,\
ended_state,ended_exit
22,ann,1,$time,1,1,1,0,,,,10,12.5,,,1073741824,,,,,,,0.9,low-cpu,COMPLETED,0:0
23,ann,1,$time,1,1,1,0,,,,50,87.5,,,7516192768,,,,,,,0.5,low-cpu,COMPLETED,0:0
21,ann,1,$time,1,1,1,0,,,,97,75,,,6442450944,,,,,,,0.030000000000000023,,COMPLETED,0:0"
used --used --user bob
is 'of nobody' "$(head -n 1 "$work/out")"
printf '%s\n' 'JobID|JobIDRaw|State|TimelimitRaw' '21|21|COMPLETED|600' >"$work/sacct"
used --used --json --host node-21 --sacct "$work/sacct"
grep -q '"time":{"used":3600,"of":36000,"percent":10}.*"findings":\["time-limit-far"\]' \
	"$work/out" || fail "a limit of accounting: $(cat "$work/out")"
for wrong in 0 -1 many 2x ''; do
	"$bin/nodometer-jobs" --dir "$work/u" --worst "$wrong" 2>"$work/said" &&
		fail "--worst $wrong"
	grep -q 'not a number of jobs' "$work/said" || fail "--worst $wrong: $(cat "$work/said")"
done
# What a job used is of the hosts that are asked for, as its nodes are.
used --used --host node-22 --json
grep -q '^{"job":"22".*"cpus":{"used":0.2,"of":2,"percent":10}' "$work/out" ||
	fail "of a host: $(cat "$work/out")"

# One row for each run, as report has it: of two hosts, of which one runs on in its next file; the
# end mark of the second run is lost, and the third began while the job was still named.
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
"$bin/nodometer-tidy" --compress "$work/a/n1" || fail 'not compressed: n1'
lists --csv
is 'runs of one id, from indexes' "$runs"
for packed in "$work"/a/n1/*.zst; do	# an older index had one line for all runs
	printf 1 | dd bs=1 seek=$(($(wc -c <"$packed") - 1)) conv=notrunc of="$packed" 2>/dev/null
done
lists --csv
is 'runs of one id, beside older indexes' "$runs"
for row in 1700000000,1210 1700090000,610 1700180000,1210; do
	start=${row%,*} duration=${row#*,}
	"$bin/nodometer-report" --dir "$work/a" --until "$start" --json 95 >"$work/out" \
		2>"$work/said"
	times="\"start\":${start}[.]0*,.*\"duration\":${duration}[.]0*,\"samples"
	grep -q "^{\"job\":\"95\",.*$times" "$work/out" ||
		fail "report until $start: $(head -c 300 "$work/out")"
done
lists --json
grep -q '"job":"95","name":"sweep","account":"phys","partition":"small","user":"ann"' "$work/out" ||
	fail "attributes as JSON: $(cat "$work/out")"

# Accounting of many other jobs takes no memory but that of its text.
awk 'BEGIN {
	print "JobID|JobIDRaw|JobName|State"
	for (i = 1; i <= 300000; i++)
		printf "%d|%d|x%d|FAILED\n", i, i, i
}' >"$work/sacct"
# shellcheck disable=SC3045 # dash and bash have it
if (ulimit -v 150000 && "$bin/nodometer-jobs" --help) >/dev/null 2>&1; then
	(ulimit -v 150000 && "$bin/nodometer-jobs" --dir "$work/a" --sacct "$work/sacct" --json) \
		>"$work/out" 2>"$work/said" || fail "much accounting: $(cat "$work/said")"
	[ "$(grep -c '"slurm_id":"95".*"state":"FAILED"' "$work/out")" = 3 ] ||
		fail "much accounting: $(cat "$work/out")"
fi

# A job of two nodes whose second file is cut has not ended as far as anybody knows.
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
"$bin/nodometer-jobs" --dir "$work/a" >"$work/out" 2>"$work/said" && fail 'a cut file: status 0'
is 'a file that is cut' 'JOB            USER       NODES  START                  LENGTH  STATE
7              ann          1/2  2023-11-14 22:13:20     0:20:00  ended on some
8              ann           1+  2023-11-14 22:23:20     0:20:00  ended on some'

# The state is that of the marks, or follows from the exit code; the node that ended worst counts.
# A job of the last hour without an end runs. Lists from records and from indexes agree.
rm -rf "$work/a"
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
	grep -q '"job":"4",.*"state":"TIMEOUT","exit":"0:0"' "$work/out" ||
		fail "states from $form, as JSON: $(cat "$work/out")"
	for host in n1 n2; do
		"$bin/nodometer-tidy" --compress "$work/a/$host" || fail "not compressed: $host"
	done
done

# A job that failed, and whose processes the kernel killed for memory, was out of memory.
cp -R "${srcdir:-.}/tests/report/found-killed/archive" "$work/killed"
"$bin/nodometer-jobs" --dir "$work/killed" --used >"$work/out"
grep -q ', OUT_OF_MEMORY, exit 0:9' "$work/out" || fail "killed for memory: $(cat "$work/out")"
"$bin/nodometer-report" --dir "$work/killed" 7 --json |
	grep -q '"state":"OUT_OF_MEMORY","exit":"0:9"' || fail 'killed for memory, as JSON'

# Columns as in reportseff: names in any case, "---" for unknown, colours only on a terminal.
lists --dir "$work/killed" --format
is 'the columns of reportseff' 'JobID  State           Elapsed  TimeEff  CPUEff  MemEff  GPUEff
7      OUT_OF_MEMORY  01:00:00      ---   97.5%   98.4%     ---'
lists --dir "$work/killed" --format jobid,exitcode,NNODES,User,Start
is 'columns by name' 'JobID  ExitCode  NNodes  User  Start
7           0:9       1  ---   2023-11-14 22:13:20'
lists --dir "$work/killed" --format +unused --sort cpueff
grep -q 'GPUEff  Unused$' "$work/out" || fail "more columns: $(cat "$work/out")"
lists --format --sort job
grep -q '^2      FAILED  *00:20:10 ' "$work/out" || fail "a failed job: $(cat "$work/out")"
coloured()
{
	NO_COLOR=$1 TERM=xterm script -qec "$bin/nodometer-jobs --dir $work/killed --format" \
		/dev/null >"$work/out" 2>&1 </dev/null
	grep -q "$(printf '\033')\[31mOUT_OF_MEMORY$(printf '\033')\[0m  " "$work/out"
}
if command -v script >/dev/null; then
	coloured '' || fail "no colours: $(cat "$work/out")"
	coloured 1 && fail "colours with NO_COLOR: $(cat "$work/out")"
	grep -q OUT_OF_MEMORY "$work/out" || fail "with NO_COLOR: $(cat "$work/out")"
fi
"$bin/nodometer-jobs" --dir "$work/a" --format CPUeff,Statee 2>"$work/said" &&
	fail 'a column that is none'
grep -q '"Statee" is no column; did you mean State?' "$work/said" || fail "$(cat "$work/said")"
"$bin/nodometer-jobs" --dir "$work/a" --format --json 2>"$work/said" && fail '--format --json'
grep -q 'without --by, --csv' "$work/said" || fail "--format --json: $(cat "$work/said")"

# The smallest efficiency comes first, and unknown ones come last.
for job in found-idle-node found-serial found-killed; do
	for host in "${srcdir:-.}/tests/report/$job/archive"/n*; do
		mkdir -p "$work/sorted/${host##*/}-$job"
		sed "s/^\\(\$hostname \\).*/\\1${host##*/}-$job/; s/\\b7\\b/$job/g" \
			"$host/1700000000" >"$work/sorted/${host##*/}-$job/1700000000"
	done
done
mkdir "$work/sorted/no-cpu"
# shellcheck disable=SC2016 # properties, not variables
printf '$hpcperfstats 1.0.2\n$hostname no-cpu\n!vm pgpgin,E\n
1700000000 9\n%%begin 9\nvm - 1\n\n1700000600 9\n%%end 9\nvm - 2\n' \
	>"$work/sorted/no-cpu/1700000000"
lists --dir "$work/sorted" --format CPUEff --sort CPUEff
[ "$(sed '1d; $d' "$work/out")" = "$(sed '1d; $d' "$work/out" | sort -n)" ] ||
	fail "sorted: $(cat "$work/out")"
[ "$(tail -n 1 "$work/out" | tr -d ' ')" = --- ] ||
	fail "an unknown efficiency is not last: $(cat "$work/out")"

# What tacc_stats wrote of idle nodes is no job; a long id has a line of its own.
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

"$bin/nodometer-jobs" --sort size 2>"$work/said" && fail 'a key that is none'
grep -q 'is not start, length' "$work/said" || fail "said: $(cat "$work/said")"
file n2 1700099999 <<END
END
printf '\nnonsense\n' >>"$work/a/n2/1700099999"
"$bin/nodometer-jobs" --dir "$work/a" >"$work/out" 2>"$work/said" &&
	fail 'a file that cannot be read'
grep -q 1700099999 "$work/said" || fail "said: $(cat "$work/said")"

# A line that cannot be read costs no job after it, here or on the pages of a site; of the job whose
# records it may have been it is not known whether it ended.
rm -rf "$work/a"
file n1 1700000000 <<END
1700000000 5 %begin 5
1700000600 5
1700001200 6 %begin 6
1700001800 6 %end 6
END
sed -i '/^1700000600/a nonsense - 1' "$work/a/n1/1700000000"
"$bin/nodometer-jobs" --dir "$work/a" >"$work/out" 2>"$work/said" && fail 'a bad line is no fault'
grep -q '1700000000: some of it cannot be read' "$work/said" || fail "said: $(cat "$work/said")"
[ "$(sed 1d "$work/out")" = \
'5              -             1+  2023-11-14 22:13:20     0:10:00  end unread
6              -              1  2023-11-14 22:33:20     0:10:00  ended' ] ||
	fail "jobs around a bad line: $(cat "$work/out")"
"$bin/nodometer-site" --dir "$work/a" --out "$work/site" 2>"$work/said" &&
	fail 'a bad line is no fault of a site'
for job in 5 6; do
	grep -rq "job $job\b\|>$job<" "$work/site" || fail "job $job is not on the site"
done

# Names of marks and of accounting are text, in any script, on every page.
rm -rf "$work/a" "$work/site"
file n1 1700000000 <<'END'
1700000000 5 %begin 5 user=j\303\274rgen account=M\303\274ller
1700000600 5 %attributes 5 name=Gr\303\266\303\237e\040\346\250\241\346\213\237
1700000600 5 %end 5
1700001200 6 %begin 6
1700001800 6 %end 6
END
{
	echo 'JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode|TimelimitRaw|NNodes'
	echo '6|6|Größe 模拟|jürgen|Müller|p|COMPLETED|0:0|60|1'
} >"$work/sacct"
shows()
{
	program=$1 want=$2 times=$3
	shift 3
	"$bin/nodometer-$program" "$@" --dir "$work/a" --sacct "$work/sacct" >"$work/out" \
		2>"$work/said"
	[ "$(grep -cF -- "$want" "$work/out")" = "$times" ] ||
		fail "$program $*: not $times times \"$want\": $(cat "$work/out" "$work/said")"
}
for job in 5 6; do
	shows report '  name      Größe 模拟' 1 $job
	shows report ', account Müller' 1 $job
	shows report '"user":"jürgen"' 1 $job --json
done
shows jobs '              jürgen         1  2023' 2
shows jobs ',jürgen,1,' 2 --csv
shows jobs ',Müller,' 2 --csv
shows jobs ',Größe 模拟' 2 --csv
shows jobs '"name":"Größe 模拟"' 2 --json
shows jobs '"name":"Größe 模拟"' 2 --used --json
shows jobs '<td>jürgen</td>' 2 --used --html
shows jobs ' jürgen ' 2 --user jürgen
shows jobs 'Größe 模拟            2 ' 1 --by name
shows jobs 'Müller                2 ' 1 --by account
"$bin/nodometer-site" --dir "$work/a" --out "$work/site" 2>"$work/said" ||
	fail "site: $(cat "$work/said")"
grep -qF 'Größe 模拟' "$work/site/users/j=C3=BCrgen/run-5-1700000000.html" ||
	fail "site: $(grep -rF 'Gr' "$work/site")"
exit $failed
