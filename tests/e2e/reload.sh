#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# reload.sh - on SIGHUP, the agent applies a good configuration, refuses a bad one, and continues
. "$(dirname "$0")/lib.sh"

interval_is() {
	answers && grep -q "^interval  *$1\$" "$scratch/status"
}
files_are() {
	[ "$(raw_files | wc -l)" -eq "$1" ]
}

write_config 'interval = 2h'
start_agent
interval_is '7200 s' || fail "interval: $(cat "$scratch/status")"
expect 0 nodometer begin 501
is "files" "$(raw_files | wc -l)" 1

# A new interval takes effect, a new file starts, and the job continues.
write_config 'interval = 250ms'
kill -s HUP "$agent"
wait_until 5 interval_is '0.25 s'
wait_until 5 files_are 2
is "jobs of the new file" "$(last_jobs)" 501
n=$(groups | wc -l)
wait_until 5 goes_on 3

# A bad configuration is refused with its line number, and the old one stays in effect.
{ cat "$conf"; echo 'interval = soon'; } >"$conf.new"
mv "$conf.new" "$conf"
bad=$(wc -l <"$conf")
kill -s HUP "$agent"
wait_until 5 log_says "$conf:$bad: interval = soon"
answers && grep -q "^reload refused  *$conf:$bad: interval = soon" "$scratch/status" ||
	fail "status does not say what was refused: $(cat "$scratch/status")"
nodometer status --json 2>/dev/null | grep -q "\"refused\":\[\"$conf:$bad: interval = soon" ||
	fail "status --json does not say what was refused"
interval_is '0.25 s' || fail "the agent does not go on as it was: $(cat "$scratch/status")"
is "files" "$(raw_files | wc -l)" 2
n=$(groups | wc -l)
wait_until 5 has_taken $(($(taken) + 3))

# A hook only needs the socket: it marks the job despite the bad configuration, and warns about it.
expect 0 nodometer begin --strict 502 2>"$scratch/err"
grep -q "$conf:$bad: interval = soon" "$scratch/err" || fail "begin: $(cat "$scratch/err")"
grep -q 'nodometer config check' "$scratch/err" || fail "begin does not say what to do"
expect 0 nodometer mark --timeout 3 typo 2>/dev/null
expect 0 nodometer end --strict 502 2>/dev/null
[ "$(groups | wc -l)" -ge $((n + 6)) ] || fail "groups: $(groups | wc -l) after $n"
is "marks" "$(marks | tail -n 3 | tr '\n' ' ')" "%begin 502 %typo %end 502 "
expect 2 "$bin/nodometer" --config "$scratch/none" begin --strict 503 2>/dev/null

# A corrected configuration is accepted, and status no longer shows the refusal.
write_config 'interval = 250ms'
kill -s HUP "$agent"
none_refused() {
	answers && ! grep -q '^reload refused' "$scratch/status"
}
wait_until 5 none_refused

# If the agent is not confined, a reload may also change the archive's folder.
stop_agent
write_config 'interval = 250ms' 'confine = no'
start_agent
old=$archive
archive=$scratch/elsewhere
write_config 'interval = 2h' 'confine = no'
kill -s HUP "$agent"
wait_until 5 test -e "$archive/$host/current"
wait_until 5 interval_is '7200 s'
is "jobs" "$(last_jobs)" 501
expect 0 nodometer end 501
stop_agent
whole_archive
archive=$old
whole_archive

# refuses TEXT: request a reload; it must be refused with TEXT in the status, and the agent must
# continue unchanged
refuses() {
	kill -s HUP "$agent"
	wait_until 5 log_says 'the new configuration is not used; the old one stays in force'
	answers && grep -q "^reload refused  *$1" "$scratch/status" ||
		fail "status does not say why: $(cat "$scratch/status")"
	interval_is '0.25 s' || fail "the agent does not go on as it was: $(cat "$scratch/status")"
	wait_until 5 has_taken $(($(taken) + 3))
	: >"$log"
}

# A reload while the folder of --root is missing is refused.
mkdir -p "$scratch/root/proc"
echo 'cpu0 1 2 3 4' >"$scratch/root/proc/stat"
: >"$log"
write_config 'interval = 250ms'
start_agent --root "$scratch/root"
mv "$scratch/root" "$scratch/away"
write_config 'interval = 2h'
refuses "$scratch/root: No such file"
expect 0 nodometer begin 504
mv "$scratch/away" "$scratch/root"
kill -s HUP "$agent"
wait_until 5 interval_is '7200 s'
none_refused || fail "the refused reload is not forgotten: $(cat "$scratch/status")"
is "jobs" "$(last_jobs)" 504
expect 0 nodometer end 504
stop_agent

# A reload with an unusable runtime directory is refused, too.
: >"$log"
write_config 'interval = 250ms' 'confine = no'
start_agent
watchers() { find "/proc/$agent/fd" -lname 'anon_inode:*inotify*' | wc -l; }
before=$(watchers)
file=$(open_folder)/file	# the path must be short enough for a socket
: >"$file"
write_config 'interval = 2h' 'confine = no'
sed -i "s|^runtime-dir = .*|runtime-dir = $file|" "$conf"
kill -s HUP "$agent"
wait_until 5 log_says "$file/control: Not a directory"
write_config 'interval = 250ms' 'confine = no'
refused_still() { answers && grep -q "^reload refused  *$file/control" "$scratch/status"; }
refused_still || fail "the agent does not answer as before: $(cat "$scratch/status")"
is "inotify descriptors after a refused reload" "$(watchers)" "$before"
interval_is '0.25 s' || fail "the agent does not go on as it was: $(cat "$scratch/status")"
wait_until 5 has_taken $(($(taken) + 3))
stop_agent
rm -r "${file%/*}"

# If a reload is refused because the folder of --root is missing, the agent does not listen in the
# new runtime directory, but can move there in a later reload.
write_config 'interval = 250ms' 'confine = no'
start_agent --root "$scratch/root"
mv "$scratch/root" "$scratch/away"
moved=$(open_folder)
sed -i "s|^runtime-dir = .*|runtime-dir = $moved|" "$conf"
: >"$log"
kill -s HUP "$agent"
wait_until 5 log_says 'the new configuration is not used; the old one stays in force'
! answers || fail "the agent listens in $moved although it has refused the reload"
mv "$scratch/away" "$scratch/root"
kill -s HUP "$agent"
wait_until 5 answers
none_refused || fail "the agent has not moved: $(cat "$scratch/status")"
stop_agent
rm -r "$moved"
