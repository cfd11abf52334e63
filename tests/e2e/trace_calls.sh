#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace_calls.sh - nodometer trace without a mount records a command, a process, or a job
. "$(dirname "$0")/lib.sh"
trace=$bin/nodometer-trace
[ -x "$trace" ] || skip 'built without libfuse3'
mkdir -p "$scratch" || fail "cannot make $scratch"
out=$scratch/out.csv

# says STATUS WORDS ARGUMENTS...: nodometer-trace ARGUMENTS must exit with STATUS and a message that
# matches WORDS
says() {
	want=$1 words=$2
	shift 2
	"$trace" "$@" >/dev/null 2>"$log"
	is "status of $*" $? "$want"
	grep -q -e "$words" "$log" || fail "$*: it does not say \"$words\""
}
says 2 'or one of --pid PID' --out x
says 2 'or one of --pid PID' --pid 1 --job 2
says 2 'or one of --pid PID' --pid 1 -- true
says 2 'need --shadow and --mount' --ro -- true
says 2 'need --shadow and --mount' --owner --pid 1
says 2 'a COMMAND cannot be used with --shadow' --shadow / --mount / -- true

# Only root has the rights to trace without a mount.
if [ "$(id -u)" = 0 ]; then
	setpriv --reuid 65534 --regid 65534 --clear-groups "$trace" -- true >/dev/null 2>"$log"
	is 'status of nobody' $? 1
	grep -q 'CAP_BPF and CAP_PERFMON\|built without\|only on x86-64\|has no /sys' "$log" ||
		fail 'nobody hears no reason'
fi
"$trace" -- true >/dev/null 2>"$log" || {
	grep -q 'cannot be traced: .' "$log" || fail 'no reason is given'
	skip "$(sed 's/.*traced: //' "$log")"
}

# of PATTERN: print the number of records that match PATTERN
of() {
	grep -c -e "$1" "$out"
}

# recorded OPTIONS... -- COMMAND...: record COMMAND, and return its exit status
recorded() {
	rm -f "$out"
	"$trace" --out "$out" "$@" 2>"$log"
}

echo 'some text' >"$scratch/file"
recorded --result -- cat "$scratch/file" "$scratch/none" >/dev/null
is 'status of the command' $? 1
is 'reads' "$(of "/file,file,read,10,0,[0-9]*,10,0$")" 1
is 'failed opens' "$(of "/none,file,open,O_RDONLY,0000,2$")" 1
is 'closes' "$(of "/file,file,close,0$")" 1
grep -q "^nodometer trace: $(wc -l <"$out") records" "$log" || fail 'the number of records'
"$trace" report "$out" >"$scratch/report" || fail 'no report of it'
grep -q "read *$(of ',read,')" "$scratch/report" || fail 'the report counts other reads'

is 'losses' "$(grep -c ',file,lost,' "$out")" 0
grep -q 'records that were lost  *none stated$' "$scratch/report" || fail 'the report has losses'

# A copy into a socket or pipe is recorded without the path of a target.
if command -v python3 >/dev/null; then
	cat >"$scratch/sends.py" <<'END'
import os, socket, sys
file, sockets = os.open(sys.argv[1], os.O_RDONLY), socket.socketpair()
for to in sockets[0].fileno(), os.pipe()[1], os.open(sys.argv[1] + '.to', 65):
    os.sendfile(to, file, 0, 4)
END
	recorded --events copy_file_range -- python3 "$scratch/sends.py" "$scratch/file"
	is 'copies without a target' "$(of "/file,file,copy_file_range,,0,4,4$")" 2
	is 'copies' "$(of "/file,file,copy_file_range,$scratch/file.to,0,4,4$")" 1
	"$trace" report --monitor "$scratch/rms" "$out" >"$scratch/report" || fail 'no report of it'
	grep -q '3  *12 B  *12 B ' "$scratch/report" || fail "copies: $(cat "$scratch/report")"
	! grep -q '(no name)' "$scratch/report" || fail 'a socket is a file'
fi

# A killed tracer leaves only complete records.
sleep 300 &
sleeper=$!
lanes=$sleeper
"$trace" --pid $sleeper --out "$scratch/killed" 2>"$log" &
tracer=$!
lanes="$sleeper $tracer"
wait_until 60 grep -q 'end with Ctrl-C' "$log"
kill -9 $tracer $sleeper
wait $tracer $sleeper 2>/dev/null
lanes=
is 'records of the killed' "$(grep -c ,lost, "$scratch/killed")" 0

recorded --events read --json -- cat "$scratch/file" >/dev/null || fail 'no --events'
is 'other operations' "$(grep -vc '"type":"read"' "$out")" 0
mkfifo "$scratch/fifo" || fail 'no FIFO'
waits() {	# wait for the reader of the FIFO, which continues when the FIFO has a writer
	read -r reader <"$scratch/reader" && grep -q '^cat$' "/proc/$reader/comm" &&
		grep -q '^State:.S' "/proc/$reader/status"
} 2>/dev/null
(wait_until 60 waits; sleep 1; echo >"$scratch/fifo") &
# shellcheck disable=SC2016 # the shell that is traced has these words
recorded --slow 100ms -- sh -c 'echo $$ >"$1/reader"; exec cat "$1/fifo"' sh "$scratch" >/dev/null
wait $!
is 'operations that are slow' "$(of "/fifo,file,open,")" 1
is 'others' "$(awk -F, '$3 < 100000000 && $12 != "lost"' "$out" | wc -l)" 0

# A command has the same ignored signals and the same exit status as without the tracer.
for signals in '' 'INT HUP'; do
	(
		# shellcheck disable=SC2086 # words
		[ -z "$signals" ] || trap '' $signals
		recorded -- grep 'Sig[BI]' /proc/self/status >"$scratch/traced"
		grep 'Sig[BI]' /proc/self/status >"$scratch/plain"
	)
	diff "$scratch/traced" "$scratch/plain" >&3 || fail "signals, ignored: $signals"
done
recorded -- sh -c 'kill -9 $$'
is 'status of a killed command' $? 137
recorded -- "$scratch/none"
is 'status of no command' $? 127

# Running processes are recorded with their open files, and so are their children. A job is all
# processes of this machine with its id; the id is unique, as another build may run this test.
job=$$.$(date +%s%N)
cat >"$scratch/tree.sh" <<'END'
exec 5<file
echo 1 >ready
(while ! read -r go <go; do :; done; head -c 4 <&5; cat file; : >late) &
trap 'kill $!' TERM
wait
END
mkfifo "$scratch/go"
for by in --pid --job; do
	rm -f "$scratch/ready" "$scratch/late" "$out" "$log"
	(cd "$scratch" && SLURM_JOB_ID=$job exec sh tree.sh >/dev/null) &
	tree=$!
	lanes=$tree
	wait_until 60 test -s "$scratch/ready"
	[ $by = --pid ] && id=$tree || id=$job
	"$trace" $by "$id" --out "$out" 2>"$log" &
	tracer=$!
	lanes="$tree $tracer"
	wait_until 60 grep -q 'end with Ctrl-C' "$log"
	if [ "$(id -u)" = 0 ]; then
		grep -q '^CapEff:	0*$' "/proc/$tracer/status" || fail 'it keeps capabilities'
		grep -q '^Uid:	0' "/proc/$tracer/status" && fail 'it stays root'
	fi
	echo >"$scratch/go"
	wait $tree
	wait $tracer
	is "status with $by" $? 0
	lanes=
	is "reads of what was open ($by)" "$(of "/file,file,read,10,0,4,4")" 1
	is "opens by a child ($by)" "$(of "/file,file,open,")" 1
	is "files made ($by)" "$(of "/late,file,creat,")" 1
done
rm "$scratch/ready"
SLURM_JOB_ID=$job sh -c 'echo >"$1/ready"; exec sleep 20' sh "$scratch" &
lanes=$!
wait_until 60 test -s "$scratch/ready"
says 1 'no process of this job' --job "$job.none"
says 1 'no process of this job' --job "${job%?}"
kill $lanes
lanes=
says 1 'the process cannot be traced' --pid 2147483647
