#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# full_marks.sh - the disk stays full: all acknowledged marks reach the archive later
#
# Archive and runtime directory are on small file systems in a mount namespace of its own.
. "$(dirname "$0")/lib.sh"

if [ -z "${OWN_MOUNTS:-}" ]; then
	trap - EXIT
	unshare -m true 2>/dev/null || skip "no right to a mount namespace of its own"
	OWN_MOUNTS=1 exec unshare -m "$0"
fi
mkdir -p "$runtime"
mount -t tmpfs -o size=300k none "$archive" 2>/dev/null || skip "no right to mount a tmpfs"
mount -t tmpfs -o size=3m none "$runtime" || fail "no tmpfs for the runtime directory"

# Simulate a node with 256 CPUs: a sample has 18 KB, and the agent's memory has room for 58 samples.
root=$scratch/root
mkdir -p "$root/proc"
cpus() {	# NUMBER
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "cpu" i, 123456789, 2345678, 34567890,
		"4567890123", 56789012, 678901, 7890123, 0, 0, 0 }' >"$root/proc/stat"
}
cpus 256
echo 4753669.01 9507338.00 >"$root/proc/uptime"

# fill FOLDER: fill the file system
fill() {
	cat /dev/zero >"$1/ballast" 2>/dev/null
	[ "$(df -P "$1" | awk 'NR == 2 { print $4 }')" -eq 0 ] || fail "$1 is not full"
}
has_interval() { [ "$(value_of interval)" = "$1" ]; }
start_agent --root "$root"
expect 0 nodometer begin first
fill "$archive"

# When memory is full, samples are dropped to make room, but marks are not.
i=0
while [ $i -lt 40 ]; do
	i=$((i + 1))
	nodometer begin --strict --timeout 20 $i 2>>"$scratch/said"
	nodometer end --strict --timeout 20 $i 2>>"$scratch/said"
done
is "marks that wait in memory" "$(grep -c 'it waits in memory' "$scratch/said")" 80
[ "$(value_of 'groups lost')" -ge 20 ] || fail "the samples of 80 marks fit into memory"
is "marks lost" "$(value_of 'marks lost')" 0

# many NAME: send a hundred marks of 500 bytes at once; print how often each answer occurred
many() {
	perl -MSocket -e '
		my ($path, $name) = @ARGV;
		my @all = map {
			socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die;
			connect($s, pack_sockaddr_un($path)) or die;
			send($s, "mark 9000000000000 $name-$_ " . "x" x 470, 0);
			$s
		} 1 .. 100;
		for (@all) { recv($_, my $said, 1000, 0); print "$said\n" }
	' "$runtime/control" "$1"
}
# If memory is full, marks wait in the spool, and so do all later marks.
sent=0
until many "m$sent" | grep -q "^waits it waits in $runtime/marks: the archive cannot be written"; do
	sent=$((sent + 1))
	[ $sent -lt 30 ] || fail "memory has no end"
done
log_says 'memory is full of record groups' || fail "it does not say so"

# A reload writes no waiting marks, and the log does not say "writing again". Larger samples no
# longer fit into memory, which has room for less than a hundred more marks: the samples are lost,
# which is reported once, not for each sample.
cpus 1024
write_config 'interval = 100ms'
kill -s HUP "$agent"
wait_until 5 log_says 'samples are lost: memory is full of marks'
wait_until 5 has_taken $(($(taken) + 3))
log_says 'writing again' && fail "nothing was written"
is "messages" "$(grep -c 'samples are lost: memory is full of marks' "$log")" 1
write_config
kill -s HUP "$agent"
wait_until 5 has_interval '86400 s'

expect 3 nodometer begin --strict later 2>/dev/null
expect 3 nodometer end --strict later 2>/dev/null
expect 3 nodometer end --strict first 2>/dev/null
[ "$(find "$runtime/marks" -name '*.mark' | wc -l)" -ge 4 ] || fail "they are not in the spool"
is "marks lost" "$(value_of 'marks lost')" 0

# A mark that does not fit in the spool is refused and counted, the log names it, and status --check
# reports "critical".
fill "$runtime"
expect 1 nodometer begin --strict refused 2>"$scratch/err"
grep -q 'job refused is not marked: No space left' "$scratch/err" ||
	fail "begin says: $(cat "$scratch/err")"
log_says '"begin refused" is not marked' || fail "the log does not name the job"
is "marks lost" "$(value_of 'marks lost')" 1
expect 2 nodometer status --check >"$scratch/check"
grep -q '^NODOMETER CRITICAL - .*marks lost: 1' "$scratch/check" ||
	fail "check: $(cat "$scratch/check")"
rm "$runtime/ballast"

# After a kill and another start without room, no mark is lost.
stop_agent KILL
start_agent --root "$root"
expect 3 nodometer begin --strict 'after' 2>/dev/null
mount -o remount,size=20m "$archive" || fail "no larger disk"
rm "$archive/ballast"
expect 0 nodometer mark last
wait_until 10 left_nothing
stop_agent
is "begin and end marks" "$(count '^%begin [0-9]*$') $(count '^%end [0-9]*$')" "40 40"
is "many marks" "$(count '^%m[0-9]*-[0-9]* x')" $(((sent + 1) * 100))
is "marks of jobs" "$(marks | grep -e first -e later -e refused -e after | tr '\n' ' ')" \
	"%begin first %begin later %end later %end first %begin after "
is "jobs" "$(last_jobs)" after
whole_archive
umount -l "$archive" "$runtime"
