#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# full_disk.sh - a full disk is reported once, requests are answered, and samples wait in order
#
# The archive is on a tmpfs of 4 MB in a mount namespace of its own.
. "$(dirname "$0")/lib.sh"

if [ -z "${OWN_MOUNTS:-}" ]; then
	trap - EXIT
	unshare -m true 2>/dev/null || skip "no right to a mount namespace of its own"
	OWN_MOUNTS=1 exec unshare -m "$0"
fi
mount -t tmpfs -o size=4m none "$archive" 2>/dev/null || skip "no right to mount a tmpfs"

fill() {
	cat /dev/zero >"$archive/ballast" 2>/dev/null
	[ "$(df -P "$archive" | awk 'NR == 2 { print $4 }')" -eq 0 ] || fail "the disk is not full"
}
# waiting MINIMUM: succeed if at least MINIMUM record groups wait in memory
waiting() {
	answers && [ "$(value_of 'groups waiting in memory')" -ge "$1" ]
}
# lost MINIMUM: succeed if at least MINIMUM record groups are lost
lost() {
	answers && [ "$(value_of 'groups lost')" -ge "$1" ]
}
none_waits() {
	answers && [ "$(value_of 'groups waiting in memory')" -eq 0 ]
}
in_order() {
	groups | awk '$1 < last { bad = 1 } { last = $1 } END { exit bad }' ||
		fail "groups are not in order"
}

# Collect few types, so that samples alone do not fill the disk while a busy machine is slow.
write_config 'interval = 50ms' '[types]' 'net = off' 'block = off' 'mem = off' \
	'vm = off' 'psi = off' 'tmpfs = off'
start_agent
expect 0 nodometer begin --timeout 20 701
fill
wait_until 10 waiting 5
is "times it was said" "$(grep -c 'wait in memory' "$log")" 1
grep -q 'No space left' "$log" || fail "it does not say why"

# The agent answers a request for a mark that waits by saying so; with --strict, the exit status
# says it, too.
expect 3 nodometer begin --strict --timeout 20 702 2>"$scratch/err"
grep -q 'waits in memory' "$scratch/err" || fail "begin says: $(cat "$scratch/err")"
expect 3 nodometer end --strict --timeout 20 701 2>/dev/null
expect 0 nodometer mark --timeout 20 tight 2>/dev/null
answers && grep -q '^job  *702' "$scratch/status" || fail "the job is not known"
is "end marks in the file" "$(count '^%end 701$')" 0

# Once there is room, all record groups are written in order, once.
samples=$(value_of 'samples taken')
rm "$archive/ballast"
wait_until 10 none_waits
is "times it was said" "$(grep -c 'wait in memory' "$log")" 1
is "marks" "$(marks | tr '\n' ' ')" "%begin 701 %begin 702 %end 701 %tight "
[ "$(groups | wc -l)" -ge "$samples" ] || fail "$samples samples, $(groups | wc -l) groups"
in_order
is "jobs" "$(last_jobs)" 702

# The disk fills again and the agent is killed: the files contain only whole record groups.
fill
wait_until 10 waiting 3
is "times it was said" "$(grep -c 'wait in memory' "$log")" 2
stop_agent KILL
rm "$archive/ballast"
start_agent
is "jobs" "$(last_jobs)" 702
whole_archive

# If the agent ends or is killed while record groups wait in memory, the next agent writes these
# record groups, or at least their marks.
fill
wait_until 10 waiting 3
expect 0 nodometer mark --timeout 20 stopped 2>/dev/null
stop_agent
grep -q 'for the next start' "$log" || fail "it does not say where they are"
launch_agent
wait_until 10 answers
expect 0 nodometer mark --timeout 20 killed 2>/dev/null
stop_agent KILL
rm "$archive/ballast"
start_agent
wait_until 10 left_nothing
is "marks" "$(count '^%stopped$') $(count '^%killed$')" "1 1"
whole_archive

# Without an agent, a hook with a full disk reports an error, and harms neither the job nor the
# file.
expect 0 nodometer end --timeout 20 702
stop_agent
fill
n=0
while nodometer collect 2>/dev/null; do		# the file's last page has room for a few samples
	n=$((n + 1))
	[ $n -lt 50 ] || fail "the disk is full, and yet there is room"
done
n=0
while nodometer begin --strict --timeout 20 "small.$n" 2>/dev/null; do # some small marks still fit
	n=$((n + 1))
	[ $n -lt 200 ] || fail "the disk is full, and yet there is room"
done
before=$(raw_text | cksum)
expect 0 nodometer begin --timeout 20 703 2>"$scratch/err"
grep -q 'No space left' "$scratch/err" || fail "begin says: $(cat "$scratch/err")"
expect 3 nodometer begin --strict --timeout 20 703 2>/dev/null
expect 1 nodometer collect 2>/dev/null
expect 1 nodometer rotate 2>/dev/null
is "archive" "$(raw_text | cksum)" "$before"
whole_archive
rm "$archive/ballast"
start_agent
wait_until 10 left_nothing
is "begin marks" "$(count '^%begin 703$')" 1
is "begin marks of those before" "$(count '^%begin small')" $((n + 1))
while [ $n -ge 0 ]; do
	expect 0 nodometer end --timeout 20 "small.$n"
	n=$((n - 1))
done
grep -q "^703 " "$runtime/jobs" || fail "the job is not known"
expect 0 nodometer end --timeout 20 703
stop_agent

# Free space below free-floor has the same effect as a full disk: ballast uses half of the disk.
head -c 2400000 /dev/zero >"$archive/ballast"
write_config 'interval = 20ms' 'free-floor = 2M'
start_agent
wait_until 10 waiting 3
grep -q 'free space is below free-floor' "$log" || fail "it does not say why"
expect 0 nodometer mark --timeout 20 low 2>/dev/null
is "mark in the file" "$(count '^%low$')" 0
# Record groups that exceed the memory are lost and counted, record groups with marks last.
wait_until 30 lost 2
is "marks lost" "$(value_of 'marks lost')" 0
nodometer status --check >"$scratch/check"
grep -q ' [1-9][0-9]* lost | .* lost=[1-9][0-9]*c;' "$scratch/check" ||
	fail "not in the check: $(cat "$scratch/check")"
mount -o remount,size=16m "$archive" || fail "no larger disk"
rm "$archive/ballast"
wait_until 10 none_waits
is "mark in the file" "$(count '^%low$')" 1
in_order
stop_agent
whole_archive
umount -l "$archive"
