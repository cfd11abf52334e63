#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# full_lines.sh - on a full disk, a receiver that writes lines continues, loses no line and writes
# no incomplete line
#
# The file with the lines is on a tmpfs of 256 KB in a mount namespace of its own; the receiver's
# state is elsewhere.
. "$(dirname "$0")/lib.sh"
port=$(free_port)

if [ -z "${OWN_MOUNTS:-}" ]; then
	trap - EXIT
	unshare -m true 2>/dev/null || skip "no right to a mount namespace of its own"
	OWN_MOUNTS=1 exec unshare -m "$0"
fi
command -v perl >/dev/null || skip "perl is not installed"
mkdir -p "$scratch/disk"
mount -t tmpfs -o size=256k none "$scratch/disk" 2>/dev/null || skip "no right to mount a tmpfs"
lines=$scratch/disk/lines

receive() {
	"$bin/nodometer-xrootd" -p "$port" --bind 127.0.0.1 --events "$lines" \
		--state "$scratch/state" "$@" 2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
	wait_until 10 bound "$port"
}

# paths FROM TO [BYTES]: send accesses to paths number FROM to TO; each makes a line of about 400
# bytes plus BYTES
paths() {
	perl -MSocket -e 'my ($port, $from, $to, $more) = @ARGV;
		socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		for my $n ($from .. $to) {
			my $text = "x/y.1:2\@h\n/store/$n" . ($more ? "/" . "x" x $more : "");
			send($s, pack("aCnNNa*", "d", $n % 256, 12 + length $text, 1000, $n, $text),
				0, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die;
			select(undef, undef, undef, 0.001) if $n % ($more ? 10 : 50) == 0;
		}' "$port" "$1" "$2" "${3:-0}"
}
fill() {
	cat /dev/zero >"$scratch/disk/ballast" 2>/dev/null
	[ "$(df -P "$scratch/disk" | awk 'NR == 2 { print $4 }')" -eq 0 ] || fail "it is not full"
}
has() { grep -q "/store/$1\"" "$lines"; }
is_whole() { [ -z "$(tail -c 1 "$lines")" ] || fail "torn: $(tail -c 99 "$lines")"; }
full() { grep -q 'lines: No space left on device; lines wait in memory' "$log"; }
# each_once LAST: fail unless every line up to LAST is in the file exactly once
each_once() {
	sed -n 's/.*"path":"\/store\/\([0-9]*\)".*/\1/p' "$lines" | cmp -s - "$scratch/numbers" ||
		fail "not each once: $(grep -c . "$lines") lines, $1 expected"
}

receive
paths 1 100
wait_until 10 has 100
fill
paths 101 300
wait_until 10 full
is_whole
paths 301 320
rm "$scratch/disk/ballast"
wait_until 10 has 320
is "times it was said" "$(grep -c 'No space left' "$log")" 1
wait_until 10 grep -q 'lines: writing works again; 0 lines are lost' "$log"
is_whole
seq 320 >"$scratch/numbers"
each_once 320

# The receiver ends while lines wait: the next receiver writes them.
fill
paths 321 400
wait_until 10 eval '[ "$(grep -c "No space left" "$log")" = 2 ]'
end_program 10 "$receiver" 'the receiver'
is_whole
rm "$scratch/disk/ballast"
receive
wait_until 10 has 400
seq 400 >"$scratch/numbers"
each_once 400

# If both the state and the lines are on the full disk, the receiver exits with an error, and the
# file ends with a complete line.
end_program 10 "$receiver" 'the receiver'
"$bin/nodometer-xrootd" -p "$port" --bind 127.0.0.1 --events "$lines" \
	--state "$scratch/disk/state" 2>>"$log" 3>&- &
receiver=$!
pids="$pids $receiver"
wait_until 10 bound "$port"
fill
paths 401 420
wait_until 10 eval '[ "$(grep -c "No space left.*wait" "$log")" = 3 ]'
kill "$receiver"
wait "$receiver"
is "status" $? 1
forget "$receiver"
is_whole
grep -q 'waiting lines are lost\|is not updated' "$log" || fail 'the loss is not said'

# If the disk and the memory for lines are full, the newest lines are lost and counted; older lines
# are kept.
rm "$scratch/disk/ballast" "$lines"
: >"$log"
receive
fill
paths 1 20000 1000
mount -o remount,size=64m "$scratch/disk" && rm "$scratch/disk/ballast" || fail 'no more room'
wait_until 20 grep -q 'lines: writing works again; [1-9][0-9]* lines are lost' "$log"
grep -q '/store/1/x' "$lines" || fail 'the line that waited longest is lost'
[ "$(stat -c %s "$lines")" -gt 16000000 ] || fail "$(stat -c %s "$lines") bytes of 16 MB waited"
is_whole
end_program 20 "$receiver" 'the receiver'

# If the receiver is restarted while all lines of a file wait, column names are written only once.
rm "$lines"
fill
: >"$log"
receive --csv
paths 1 5
wait_until 10 full
end_program 10 "$receiver" 'the receiver'
is "bytes on a full disk" "$(stat -c %s "$lines")" 0
receive --csv
rm "$scratch/disk/ballast"
wait_until 10 grep -q '/store/5,' "$lines"
is "lines of column names" "$(grep -c '^time,' "$lines")" 1
is "lines" "$(grep -c . "$lines")" 6
end_program 10 "$receiver" 'the receiver'
umount -l "$scratch/disk"
