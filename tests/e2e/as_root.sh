#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# as_root.sh - programs that root starts work as another user, with no capability that is not used
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip 'root alone has what is to be dropped'
command -v strace >/dev/null || skip 'no strace'
own=$scratch/own	# root's alone
mkdir -p "$own"
chmod 700 "$own"
nobody=$(id -u nodometer 2>/dev/null || echo 65534)
none=0
# CAP_DAC_READ_SEARCH and CAP_PERFMON, or CAP_SYS_ADMIN where the kernel wants it in its place
sample=0x4000200004

# values PID KEY: of each thread
values() { sed -n "/^$2:/s/^[^:]*:[[:blank:]]*\([^[:blank:]]*\).*/\1/p" "/proc/$1"/task/*/status; }
# within HEX PID KEY: no thread has more; KEY may be a pattern of several
within() {
	for set in $(values "$2" "$3"); do
		[ $((0x$set & ~$1)) = 0 ] || return 1
	done
}
# rests PID EFFECTIVE PERMITTED: of each thread, where it waits for its next sample or packet
rests() { within "$2" "$1" CapEff && within "$3" "$1" CapPrm && within "$3" "$1" CapBnd; }

# start NAME UID EFFECTIVE PERMITTED FILE COMMAND...: $pid makes FILE and holds no more then
start() {
	name=$1 uid=$2 effective=$3 permitted=$4 file=$5
	shift 5
	"$@" >"$scratch/out" 2>"$log" 3>&- 4>&- &
	pid=$!
	pids="$pids $pid"
	wait_until 10 test -s "$file"
	wait_until 10 rests $pid "$effective" "$permitted"
	is "$name: uid" "$(values $pid Uid | sort -u)" "$uid"
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		within "$permitted" $pid 'Cap\(Eff\|Prm\)' ||
			fail "$name: $(values $pid CapEff) of $(values $pid CapPrm)"
		sleep 0.1
	done
	echo "$name: uid $uid, CapEff $(values $pid CapEff | sort -u), CapPrm" \
		"$(values $pid CapPrm | sort -u), CapBnd $(values $pid CapBnd | sort -u)"
}
run() {	# the same, and it ends well
	start "$@"
	end_program 10 $pid "$1"
}

write_config
[ ! -x "$bin/nodometer-top" ] || run top "$nobody" $none $sample "$scratch/out" \
	"$bin/nodometer-top" --config "$conf" --batch --delay 0.2

monitor=$bin/nodometer-monitor
mkfifo "$own/pipe"
# A recording and a summary in a folder of root's, and what is made of these.
if has monitor; then
	start monitor "$nobody" $none $none "$own/record" "$monitor" modes,disk --interval 1 \
		--flush-interval 1 --record "$own/record" --summary "$own/summary"
	wait_until 10 filtered $pid
	end_program 10 $pid monitor
	grep -q '^User Mode .*[0-9]' "$own/summary" ||
		fail "no summary: $(cat "$own/summary" "$log")"
	is 'owners' "$(stat -c '%u %a' "$own/record" "$own/summary" | sort -u)" '0 644'
	cp "$own/summary" "$own/longer"
	expect 0 "$monitor" modes --input "$own/record" --summary "$own/longer"
	is 'a shorter summary' "$(grep -c '^User Mode' "$own/longer")" 1
	grep -q Disk "$own/longer" && fail 'the end of the longer summary is still there'
	expect 0 "$monitor" modes --input "$own/record" --record "$own/again"
	expect 0 "$monitor" --dump --input "$own/again" >"$scratch/dump"
	grep -q ' records, as the file header says$' "$scratch/dump" ||
		fail "$(tail -1 "$scratch/dump")"
	cp "$own/again" "$own/kept"
	expect 1 "$monitor" modes --input "$own/none" --record "$own/kept" 2>"$scratch/said"
	cmp -s "$own/again" "$own/kept" || fail 'a recording was emptied for nothing'
	expect 1 "$monitor" modes --input "$own/none" --record "$own/new" 2>"$scratch/said"
	grep -q 'none: No such file' "$scratch/said" && [ ! -e "$own/new" ] ||
		fail "$(cat "$scratch/said")"

	# So it is before the first byte of an input.
	exec 4<>"$own/pipe"
	start 'monitor --input' "$nobody" $none $none "$own/record" "$monitor" modes \
		--input "$own/pipe" --record "$own/piped"
	cat "$own/record" >&4
	exec 4>&-
	wait_until 10 gone $pid
	wait $pid || fail "monitor --input: $(cat "$log")"
	is 'what came through a pipe' "$(wc -c <"$own/piped")" "$(wc -c <"$own/again")"
	forget $pid
fi

# parses NAME INPUT COMMAND...: a program that is given the pipe holds nothing before it has a byte
parses() {
	name=$1 input=$2
	shift 2
	exec 4<>"$own/pipe"
	start "$name" "$nobody" $none $none "$input" "$@"
	wait_until 10 filtered $pid
	cat "$input" >&4
	exec 4>&-
	wait_until 10 gone $pid
	wait $pid || fail "$name: $(cat "$log")"
	forget $pid
}
# A second file that root alone may read is open by then, and a missing one is said.
chmod 700 "$own"
raw=$own/1700000000
printf '$hpcperfstats 2.3.5\n$hostname n1\n!mem a,U=KB\n\n1700000000 7\nmem 0 1\n' >"$raw"
chmod 600 "$raw"
parses cat "$raw" "$bin/nodometer-cat" "$own/pipe" "$raw"
is 'rows of two files' "$(grep -c '"a":1' "$scratch/out")" 2
parses check "$raw" "$bin/nodometer-check" "$own/pipe" "$raw"
is 'files that were checked' "$(grep -c 'whole; 1 groups' "$scratch/out")" 2
parses export "$raw" "$bin/nodometer-cat" --monotonic --to influx "$own/pipe" "$raw"
is 'lines of two files' "$(grep -c '^mem' "$scratch/out")" 2
parses convert "$raw" "$bin/nodometer-cat" --to raw "$own/pipe" "$raw"
is 'rows of two files' "$(grep -c '^mem' "$scratch/out")" 2
expect 1 "$bin/nodometer-check" "$own/none" "$raw" >"$scratch/said"
grep -q 'none: No such file' "$scratch/said" && grep -q 'whole; 1 groups' "$scratch/said" ||
	fail "check: $(cat "$scratch/said")"
mkdir -p "$own/archive/n1" && cp "$raw" "$own/archive/n1" && chmod 700 "$own/archive/n1"
chown 1:1 "$own/archive/n1" "$own/archive/n1/1700000000"
is 'rows of an archive' "$("$bin/nodometer-cat" --dir "$own/archive" | grep -c '"a":1')" 1
# The right to read an archive is not in force while a file is parsed: nobody reads what it prints.
awk 'BEGIN { for (i = 1; i < 4000; i++) printf "\n%d 7\nmem 0 %d\n", 1700000000 + i, i }' \
	>>"$own/archive/n1/1700000000"
mkfifo "$own/unread"
exec 5<>"$own/unread"
"$bin/nodometer-cat" --dir "$own/archive" >"$own/unread" 2>"$log" 3>&- 4>&- &
pid=$!
pids="$pids $pid"
waits_parsing() {
	grep -q '^State:.S' "/proc/$pid/status" && within 4 $pid CapPrm && within $none $pid CapEff
}
wait_until 10 waits_parsing
kill $pid
wait $pid 2>/dev/null
forget $pid
exec 5>&-
# Records of an archive are read by nobody, who may still open all files.
exec 4<>"$own/pipe"
start report "$nobody" 4 4 "$raw" "$bin/nodometer-report" --dir "$own/archive" \
	--sacct "$own/pipe" 7
echo 'JobID|JobIDRaw|User|State' >&4
exec 4>&-
wait_until 10 gone $pid
wait $pid || fail "report: $(cat "$log")"
forget $pid
grep -q '^Job 7$' "$scratch/out" || fail "report: $(cat "$scratch/out")"
for command in 'compare 7 8' fleet 'nodes --slow'; do
	# shellcheck disable=SC2086 # words
	set -- $command
	program=$bin/nodometer-$1
	shift
	strace -o "$scratch/calls" "$program" "$@" --dir "$own/archive" >"$scratch/out" 2>&1
	awk -v dir="\"$own/archive" '
		/setres?uid/ { left = 1 }
		index($0, dir) && !/execve/ { n++; bad += !left }
		END { exit !n || bad }' "$scratch/calls" ||
		fail "$command: opens the archive as root"
done
if [ -x "$bin/nodometer-trace" ]; then
	traced=$srcdir/tests/tracers/shared.csv
	cp "$traced" "$own/traced"
	parses 'trace report' "$traced" "$bin/nodometer-trace" report --html "$own/page" \
		--monitor "$own/rms" "$own/pipe" "$own/traced"
	grep -q 'data:image/svg+xml\|gnuplot is not installed' "$own/page" || fail 'no chart'
	! command -v gnuplot >/dev/null || grep -q 'data:image/svg+xml' "$own/page" ||
		fail 'gnuplot was not run'
	! has monitor || expect 0 "$monitor" --dump --input "$own/rms" >"$scratch/dump"
fi

if has xrootd mpxstats; then
	# Receivers, at a port and of a capture; their files are the user's then.
	port=$(free_port)
	captured=$srcdir/tests/tracers/frm.dgram
	exec 4<>"$own/pipe"
	start 'xrootd --read' "$nobody" $none $none "$captured" "$bin/nodometer-xrootd" \
		--read "$own/pipe" --events -o "$own/read"
	cat "$captured" >&4
	exec 4>&-
	wait_until 10 gone $pid
	wait $pid || fail "xrootd --read: $(cat "$log")"
	forget $pid
	is 'whose file' "$(stat -c %u "$own/read")" "$nobody"
	expect 0 "$bin/nodometer-xrootd" --read "$captured" --events \
		>"$scratch/events" 2>"$scratch/said"
	cmp "$own/read" "$scratch/events" || fail 'a pipe and a file differ'
	# A file with a second name may be one that somebody else linked there: it stays root's.
	: >"$scratch/of_root"
	ln "$scratch/of_root" "$own/linked"
	"$bin/nodometer-xrootd" --read "$captured" --events -o "$own/linked" 2>"$scratch/said"
	is 'whose file with two names' "$(stat -c %u "$scratch/of_root")" 0
	expect 1 "$bin/nodometer-xrootd" --read "$own/none" 2>"$scratch/said"
	grep -q 'none: No such file' "$scratch/said" || fail "$(cat "$scratch/said")"
	for receiver in 'nodometer-xrootd --events' 'nodometer-mpxstats -f flat'; do
		# shellcheck disable=SC2086 # words
		start "$receiver" "$nobody" $none $none "$captured" \
			"$bin/"$receiver -p $port -o "$own/at"
		wait_until 10 bound "$port"
		end_program 10 $pid "$receiver"
	done
fi

# Connections: what it opens is open, and a ring is written to it later.
if has tcp && grep -q '^#define HAVE_MNL ' config.h; then
	perl -MIO::Socket::INET -e 'my $l = IO::Socket::INET->new(Listen => 1,
		LocalAddr => "127.0.0.1") or die; my $c = IO::Socket::INET->new(
		PeerAddr => "127.0.0.1", PeerPort => $l->sockport) or die; sleep 60' 3>&- 4>&- &
	pids="$pids $!"
	start 'tcp record' "$nobody" $none $none "$own/all.pm" "$bin/nodometer-tcp" record -i 100 \
		-o "$own/all.pm"
	wait_until 10 filtered $pid
	sleep 0.3
	end_program 10 $pid 'tcp record'
	parses 'tcp report' "$own/all.pm" "$bin/nodometer-tcp" report "$own/pipe"
	parses 'tcp graph' "$own/all.pm" "$bin/nodometer-tcp" graph --text "$own/pipe"
	for _ in 1 2; do
		start 'tcp record --ring' "$nobody" $none $none "$own/all.pm" "$bin/nodometer-tcp" \
			record -i 100 --ring 10 -o "$own/ring.pm"
		kill -USR1 $pid
		wait_until 10 test -s "$own/ring.pm"
		end_program 10 $pid 'tcp record --ring'
	done
fi
