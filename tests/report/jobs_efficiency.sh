#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs_efficiency.sh - jobs --used, --worst and --format rank jobs by unused resources
. "$(dirname "$0")/jobs_lib.sh"

# busy JOB PERCENT MEMORY: write an hour of JOB on a node of its own, whose two CPUs are PERCENT
# busy and which uses MEMORY KB
busy()
{
	mkdir -p "$work/a/node-$1"
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
	} >"$work/a/node-$1/1700000000"
}
busy 21 97 6291456
busy 22 10 1048576
busy 23 50 7340032

lists --worst 2
tr -s ' ' <"$work/out" >"$work/words" && mv "$work/words" "$work/out"
is 'the worst two' 'JOB USER NODES START LENGTH CPUS GPUS UNUSED
22 ann 1 2023-11-14 22:13:20 1:00:00 10% - 0.9
 memory 1.000 GiB, COMPLETED, exit 0:0, low-cpu
23 ann 1 2023-11-14 22:13:20 1:00:00 50% - 0.5
 memory 7.000 GiB, COMPLETED, exit 0:0, low-cpu'
lists --sort unused --csv --user ann
time=1700000000.000000,3600.000000
is 'all of them, in columns' "$columns,cpus_percent,\
memory_percent,gpus_percent,time_percent,memory_peak,joules,joules_from,share,share_joules,\
share_least,share_most,unused_node_hours,findings,\
ended_state,ended_exit
22,ann,1,$time,1,1,1,0,,,,10,12.5,,,1073741824,,,,,,,0.9,low-cpu,COMPLETED,0:0
23,ann,1,$time,1,1,1,0,,,,50,87.5,,,7516192768,,,,,,,0.5,low-cpu,COMPLETED,0:0
21,ann,1,$time,1,1,1,0,,,,97,75,,,6442450944,,,,,,,0.030000000000000023,,COMPLETED,0:0"
lists --used --user bob
is 'of nobody' "$(head -n 1 "$work/out")"
printf '%s\n' 'JobID|JobIDRaw|State|TimelimitRaw' '21|21|COMPLETED|600' >"$work/sacct"
lists --used --json --host node-21 --sacct "$work/sacct"
has 'a limit of accounting' \
	'"time":{"used":3600,"of":36000,"percent":10}.*"findings":\["time-limit-far"\]'
# The title of the HTML page says how the jobs are sorted.
lists --worst 1 --html
has 'the worst' '<title>Jobs: the 1 with most unused hours</title>'
lists --worst 1 --sort CPUEff --html
has 'the first by efficiency' '<title>Jobs: the 1 first</title>'
lists --worst 1 --sort CPUEff --by user --html
has 'the worst user' '<title>Jobs by user: the 1 with most unused hours</title>'
refused 'a page and a mail' 'cannot be used with --json, with --csv or together' \
	jobs --dir "$work/a" --html --mail ann@example.org
for wrong in 0 -1 many 2x ''; do
	refused "--worst $wrong" 'not a number of jobs' jobs --dir "$work/a" --worst "$wrong"
done
lists --used --host node-22 --json	# the use of the selected hosts only
has 'of a host' '^{"job":"22".*"cpus":{"used":0.2,"of":2,"percent":10}'

# Columns are named as in reportseff: case-insensitive, "---" for unknown values, colours only on a
# terminal.
killed=$work/killed
cp -R "${srcdir:-.}/tests/report/found-killed/archive" "$killed"
lists --dir "$killed" --format
is 'the columns of reportseff' 'JobID  State           Elapsed  TimeEff  CPUEff  MemEff  GPUEff
7      OUT_OF_MEMORY  01:00:00      ---   97.5%   98.4%     ---'
lists --dir "$killed" --format jobid,exitcode,NNODES,User,Start
is 'columns by name' 'JobID  ExitCode  NNodes  User  Start
7           0:9       1  ---   2023-11-14 22:13:20'
lists --dir "$killed" --format +unused --sort cpueff
has 'more columns' 'GPUEff  Unused$'
coloured()	# NO_COLOR
{
	NO_COLOR=$1 TERM=xterm script -qec "$bin/nodometer-jobs --dir $killed --format" \
		/dev/null >"$work/out" 2>&1 </dev/null
	grep -q "$(printf '\033')\[31mOUT_OF_MEMORY$(printf '\033')\[0m  " "$work/out"
}
if command -v script >/dev/null; then
	coloured '' || fail "no colours: $(cat "$work/out")"
	coloured 1 && fail "colours with NO_COLOR: $(cat "$work/out")"
	has 'with NO_COLOR' OUT_OF_MEMORY
fi
refused 'an unknown column' 'unknown column "Statee"; did you mean State?' \
	jobs --dir "$work/a" --format CPUeff,Statee
many=$(printf 'JobID,%.0s' $(seq 33))
refused 'more columns than there may be' 'more than 32 columns' \
	jobs --dir "$work/a" --format "$many"
refused '--format --json' 'cannot be used with --by, --csv' jobs --dir "$work/a" --format --json

# When sorted by efficiency, the smallest comes first, and unknown ones come last.
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
exit $failed
