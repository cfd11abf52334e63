#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# status.sh - nodometer status --check reports the health of an agent, here with an archive on a
# small file system
#
# The archive is on a tmpfs of 8 MB in a mount namespace of its own.
. "$(dirname "$0")/lib.sh"

if [ -z "${OWN_MOUNTS:-}" ]; then
	trap - EXIT
	unshare -m true 2>/dev/null || skip "no right to a mount namespace of its own"
	OWN_MOUNTS=1 exec unshare -m "$0"
fi
mount -t tmpfs -o size=8m none "$archive" 2>/dev/null || skip "no right to mount a tmpfs"

# checked STATUS TEXT [OPTION...]: status --check must exit with STATUS and print one line that
# matches TEXT
checked() {
	wanted=$1 text=$2
	shift 2
	nodometer status --check "$@" >"$scratch/check" 2>"$scratch/err"
	got=$?
	is "status of --check $*: $(cat "$scratch/check")" "$got" "$wanted"
	is "lines of --check" "$(wc -l <"$scratch/check")" 1
	grep -q "$text" "$scratch/check" || fail "--check $*: $(cat "$scratch/check")"
}
numbers='| age=[0-9.]*s;[0-9.]*;[0-9.]*;0 waiting=[0-9]*;;;0 lost=[0-9]*c;;;0 errors=[0-9]*;0;;0$'

# On a file system of 8 MB, the default free-floor of 256M is reduced, so that records are written.
write_config
sed -i '/free-floor/d' "$conf"
checked 2 '^NODOMETER CRITICAL - the agent does not run$'
start_agent
[ -s "$archive/$host/current" ] || fail "nothing is written to a small file system"
checked 0 "^NODOMETER OK - last sample [0-9.]* s ago, 0 groups waiting, 0 lost $numbers"
nodometer status | head -n 1 | grep -q '^health  *OK - last sample [0-9.]* s ago, [^|]*$' ||
	fail "health: $(nodometer status)"
checked 0 ';172800.000;345600.000;0 '
checked 1 "^NODOMETER WARNING - the last sample is too old; .*;0.001;345600.000;0 " --warning 0.001
checked 2 "^NODOMETER CRITICAL - the last sample is too old; " --critical 0.001
checked 0 ';50.000;60.500;0 ' --warning 50 --critical 60.5
for wrong in '--warning soon' '--critical -1' '--frobnicate' 'word'; do
	# shellcheck disable=SC2086 # two words
	expect 3 nodometer status --check $wrong >/dev/null 2>&1
done

# A refused reload is a warning; "|" and a number in its text are not taken for performance data.
cp "$conf" "$scratch/good"
echo 'a|b = 1' >>"$conf"
kill -s HUP "$agent"
refused() { nodometer status 2>/dev/null | grep -q '^reload refused'; }
wait_until 5 refused
checked 1 "^NODOMETER WARNING - the last reload was refused: .*unknown key a/b .*; last .*$numbers"
nodometer status | grep -q '^health  *WARNING - the last reload was refused: ' ||
	fail "health after a refused reload: $(nodometer status)"
cp "$scratch/good" "$conf"
kill -s HUP "$agent"
taken() { ! refused; }
wait_until 5 taken
checked 0 '^NODOMETER OK'

# A sink that lags and fails is a warning, and so is a missing sender; the lag is performance data.
# Records that wait for a sink are no warning if nothing failed.
{
	printf '[send]\nstate-dir = %s\n' "$scratch/state"
	printf '[sink archive]\ndir = %s\n' "$scratch/central"
} >>"$conf"
checked 1 '^NODOMETER WARNING - nodometer-send does not run; last sample '
sink_is_checked() {
	"$bin/nodometer-send" --config "$conf" 2>"$scratch/sent" 3>&- &
	sender=$!
	pids="$pids $sender"
	expect 0 nodometer mark here
	fails() { grep -q '^why .' "$scratch/state/$host/archive" 2>/dev/null; }
	wait_until 20 fails
	checked 1 \
		'^NODOMETER WARNING - sink archive has delivered nothing: .*central.*; last sample '
	mkdir "$scratch/central"
	wait_until 20 test -d "$scratch/central/$host"
	good() { nodometer status --check 2>&1 | grep -q '^NODOMETER OK'; }
	wait_until 20 good
	has_lag() { nodometer status --check | grep -q " 'lag archive'=0.000s;;;0$"; }
	wait_until 20 has_lag
	mv "$scratch/central" "$scratch/away"
	expect 0 nodometer rotate
	expect 0 nodometer mark there
	late() {
		nodometer status --check --warning 0.001 |
			grep -q 'sink archive lags by [0-9]* s: '
	}
	wait_until 20 late
	checked 0 '^NODOMETER OK'	# the delivery has not failed for long enough
	end_program 10 "$sender" 'the sender'
}
! has send || sink_is_checked
cp "$scratch/good" "$conf"

# If the host's folder is removed, the agent makes it again, and logs this; --check reports it.
nodometer status --check | grep -q removed && fail 'nothing was removed'
rm -r "${archive:?}/$host"
expect 0 nodometer mark after
[ -e "$archive/$host/current" ] || fail 'no new folder'
grep -q "/$host: the folder was removed, with all that was in it; it was created again\$" "$log" ||
	fail 'the removal is not logged'
checked 1 "^NODOMETER WARNING - the folder of the archive was removed or moved; .*$numbers"
nodometer status | grep -q '^folder removed or moved  *20' || fail "status: $(nodometer status)"
nodometer status --json | grep -q '"removed":[0-9]' || fail 'no "removed"'

# If the host's folder is moved away, the agent writes nothing more into it.
mv "$archive/$host" "$archive/moved"
before=$(cat "$archive/moved/current")
expect 0 nodometer mark moved
is 'what was moved' "$(cat "$archive/moved/current")" "$before"
grep -q '^%moved' "$archive/$host/current" || fail "no mark in the new folder"
grep -q "/$host: the folder was moved away; it was created again\$" "$log" || fail 'not logged'
rm -r "$archive/moved"

# With less than 5% free space, nothing is written, and this is reported.
cat /dev/zero >"$archive/ballast" 2>/dev/null
stop_agent
launch_agent
stopped() { nodometer status >"$scratch/out" && grep -q '^nothing is written ' "$scratch/out"; }
wait_until 10 stopped
grep -q '^nothing is written  *free space is below free-floor' "$scratch/out" ||
	fail "status: $(cat "$scratch/out")"
checked 2 "^NODOMETER CRITICAL - nothing is written: free space is below free-floor; .*$numbers"
nodometer status --json | grep -q '"stopped":"free space is below free-floor' || fail "no stopped"
rm "$archive/ballast"
nodometer mark room 2>/dev/null
written() { ! stopped; }
wait_until 5 written
checked 0 '^NODOMETER OK'
stop_agent
whole_archive
# A process that the agent stopped waiting for may still use the file system.
unmounted() { umount "$archive" 2>/dev/null; }
wait_until 20 unmounted || fail "the archive stays in use: $(fuser -m "$archive" 2>&1)"
