#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# monitor.sh - nodometer monitor on this node: other readers accept its recording; it works on a
# terminal
set -u
: "${NODOMETER:=nodometer}" "${srcdir:=.}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
out=$(mktemp -d -p .) || exit 99
screen="tmux -L nodometer-$$"
trap '$screen kill-server 2>/dev/null; rm -rf "$out"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }

# M and a number name a line of the checklist of MONITOR recordings (tests/gates/seeds.sh). M1 M2
# M19-M46 M51-M67: fields of recordings are as the manual says; vms.py checks each field.
"$NODOMETER" monitor system,page,io,disk,lock,vector --record "$out/here" --interval 1 \
	--flush-interval 1 --comment 'of this node' --end +2 2>"$out/err" ||
	fail "$(cat "$out/err")"
grep -q 'class VECTOR: this node has no source' "$out/err" || fail 'VECTOR is not named'
python3 "$srcdir/tests/formats/vms.py" read "$out/here" >"$out/got" || fail 'it cannot be read'
grep -q '^header 1 .* of this node | 0 1 2 3 4 7 12 17$' "$out/got" || fail "$(head -1 "$out/got")"

# M70 M96: the numbers of processes by state (class STATES) add up to the number of processes (class
# PROCESSES).
awk '$1 == "class" && $2 == 1 { for (i = 4; i <= NF; i++) n += $i }
	$1 == "process" { p++ }
	END { exit !(n > 0 && n == p) }' "$out/got" || fail 'STATES are not all of PROCESSES'

# Record groups with impossible times or uptimes are refused.
"$NODOMETER" monitor disk --input "$srcdir/tests/report/forged-times/archive/n1/1700000000" \
	--summary >"$out/sum" 2>"$out/err" || fail "forged times: $(cat "$out/err")"
grep -q '^sda .* 10.00 ' "$out/sum" || fail "forged times: $(cat "$out/sum")"
grep -q ':14: not "TIME JOB"' "$out/err" || fail "a forged time is taken: $(cat "$out/err")"

# M14 M67: a class without a source is not in the recording; M66: the page names an item without a
# source.
grep -q "absent=.*2:EXEC" "$out/got" || fail 'EXEC is not named as absent'
"$NODOMETER" monitor modes --input "$out/here" --summary >"$out/sum" || fail 'it is not summarized'
grep -q '^Executive Mode  *-  *-  *-  *-$' "$out/sum" || fail 'EXEC is shown as a number'

# While the recorder is stopped, moments to record pass. They are counted as missed, in the
# recording and on the page.
"$NODOMETER" monitor states --record "$out/stopped" --interval 1 --flush-interval 1 \
	2>"$out/err" &
# until_recorded TEXT: wait up to a minute until the recording contains TEXT
until_recorded() {
	for _ in $(seq 600); do
		grep -q "$1" "$out/stopped" 2>/dev/null && return
		sleep 0.1
	done
}
until_recorded NODOMETER1
kill -STOP $!
sleep 2.2
kill -CONT $!
until_recorded missed=
kill -TERM $!
wait $! || fail "a recorder that was stopped: $(cat "$out/err")"
python3 "$srcdir/tests/formats/vms.py" read "$out/stopped" >"$out/got" || fail 'it cannot be read'
missed=$(sed -n 's/^customer.*\\nmissed=\([0-9]*\).*/\1/p' "$out/got" | tail -1)
awk -v missed="${missed:-0}" '$1 == "class" { first = first ? first : $3; last = $3; n++ }
	END { off = n + missed - 1 - (last - first); exit !(missed && off >= -1 && off <= 1) }' \
	"$out/got" || fail "missed: ${missed:-none}; $(cat "$out/got")"
grep -q "$missed of [0-9]* moments were missed" "$out/err" || fail "not said: $(cat "$out/err")"
"$NODOMETER" monitor states --input "$out/stopped" --summary >"$out/sum" || fail 'no summary'
grep -q "^node [^ ]*, $missed moments missed " "$out/sum" || fail "not shown: $(cat "$out/sum")"
"$NODOMETER" monitor states --input "$out/here,$out/stopped" --summary >"$out/sum"
grep -q "^[^ ]* stopped: $missed moments missed\$" "$out/sum" ||
	fail "not shown of several files: $(cat "$out/sum")"

# Class SYSTEM counts stolen time as busy, as class MODES does, even if MODES is not recorded. The
# test replaces /proc/stat by a file to which it adds 20 ticks of steal every fifth of a second.
cpus()
{
	printf 'cpu  0 0 0 5000000 0 0 0 %06d 0 0\ncpu0 0 0 0 5000000 0 0 0 %06d 0 0\n' "$1" "$1"
	printf 'ctxt 0\nbtime 1700000000\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n'
}
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	cpus 100 >"$out/stat"
	# shellcheck disable=SC2016 # the inner shell expands these
	unshare -m sh -c 'mount --bind "$1" /proc/stat && exec "$2" monitor system --interval 1 \
		--end +4 --summary' sh "$out/stat" "$NODOMETER" >"$out/sum" 2>"$out/err" &
	for steal in $(seq 120 20 1000); do
		kill -0 $! 2>/dev/null || break
		cpus "$steal" | dd of="$out/stat" conv=notrunc bs=4096 2>/dev/null
		sleep 0.2
	done
	wait $! || fail "no summary of class SYSTEM: $(cat "$out/err")"
	awk '/^CPU Busy/ { busy = $4 } END { exit !(busy > 0) }' "$out/sum" ||
		fail "stolen time is not busy: $(cat "$out/sum")"
fi

command -v tmux >/dev/null ||
	{ echo 'skipped: no tmux, so no terminal'; exit $((status ? 1 : 77)); }
grep -q '^#define HAVE_NCURSES ' config.h 2>/dev/null ||
	{ echo 'skipped: built without ncurses'; exit $((status ? 1 : 77)); }

# until_shown PATTERN: wait up to a minute until the screen shows PATTERN
until_shown() {
	for _ in $(seq 300); do
		$screen capture-pane -p >"$out/shown" 2>/dev/null && grep -q -- "$1" "$out/shown" &&
			return
		sleep 0.1
	done
	fail "the screen does not show \"$1\":"
	cat "$out/shown"
}

export TERM=xterm-256color
$screen -f /dev/null new-session -d -x 90 -y 30 "$NODOMETER monitor modes,disk,states \
	--interval 1 --viewing-time 60; echo ended with \$?; sleep 300" || fail 'no tmux session'
until_shown 'Hibernate  *[0-9]'		# class STATES; each key n shows another class
$screen send-keys n
until_shown 'User Mode  *[0-9]'		# M93: bars, drawn with the second sample
grep -q 'Time in processor modes' "$out/shown" || fail 'no title'
$screen resize-window -x 60 -y 14	# the part of the page that fits is drawn again
until_shown '^page 2 of 3 '
[ "$(wc -l <"$out/shown")" -le 14 ] || fail 'more lines than the screen has'
$screen send-keys Down Down
for _ in $(seq 300); do
	$screen capture-pane -p >"$out/shown"
	grep -q '^Interrupt' "$out/shown" || break
	sleep 0.1
done
! grep -q '^Interrupt' "$out/shown" || fail 'it was not scrolled'
$screen send-keys n
until_shown 'Disk I/O'			# class DISK as a table
$screen send-keys q
until_shown '^ended with 0'
exit $status
