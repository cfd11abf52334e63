#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run_processes.sh - nodometer run counts all processes of its command, and survives signals
. "$(dirname "$0")/run_lib.sh"

# nodometer run ends by the same signal as its command. The command gets each signal once, whether
# the signal is sent to nodometer run or to its process group.
# shellcheck disable=SC2016,SC2086 # for perl and the shell that it starts; a list of words
ended_by=$(perl -e 'system(@ARGV); print $? & 127' $as "$bin/nodometer" run -q -o term -- \
	sh -c 'kill -TERM $$')
is 'ended by signal' "$ended_by" 15
clean term
# shellcheck disable=SC2016
counter='my $n = 0; $SIG{USR1} = sub { $n++ }; $SIG{TERM} = sub { print "$n\n"; exit 5 };
	open(my $f, ">", $ARGV[0]); print $f "$$\n"; close $f; rename($ARGV[0], "$ARGV[0].pid");
	select(undef, undef, undef, 60) while 1'
for to in front group; do
	# shellcheck disable=SC2086
	setsid $as "$bin/nodometer" run -q -o "$to" -- perl -e "$counter" "$PWD/$to.c" >out &
	pids="$pids $!"
	wait_until 20 test -e "$to.c.pid"
	command=$(cat "$to.c.pid")
	front=$(front_of "$command")
	case $to in
	front) kill -USR1 "$front"; sleep 0.3; kill -USR1 "$front" ;;
	group) kill -USR1 "-$front"; sleep 0.3; kill -USR1 "-$front" ;;
	esac
	sleep 0.3
	kill -TERM "$front"
	wait $!
	is "signal to the $to: status" $? 5
	is "signal to the $to: how often" "$(cat out)" 2
	clean "$to"
done

# The CPU time of a daemon that the command started is counted; the daemon keeps running after
# nodometer run has ended.
# shellcheck disable=SC2016
run -q -i 100ms -o daemon -- sh -c '(setsid perl -e "1 while (times)[0] < 0.5;
	open(my \$f, q(>), q(daemon.used)); sleep 90" >daemon.out 2>&1 & echo $! >daemon.pid)
	until [ -e daemon.used ]; do sleep 0.1; done; sleep 0.5' 2>out
is 'daemon: status' $? 0
kill "$(cat daemon.pid)" || fail 'the daemon is gone'
grep -q '1 processes of the command still run' out || fail "daemon: $(cat out)"
awk -v cpu="$(value daemon job.cpu)" 'BEGIN { exit !(cpu > 0.3 && cpu < 5) }' ||
	fail "daemon: CPU time $(value daemon job.cpu) s"

# Type proc has all processes of the command, whatever their user, but no other process of this
# user.
$as sleep 781.125 &
pids="$pids $!"
run -q -i 50ms -o processes -- perl -e 'select(undef, undef, undef, 0.5)' || fail 'processes'
is 'processes' "$(cat processes/*/[0-9]* | grep -a '^proc ' | cut -d / -f 1 | sort -u |
	grep -v nodometer)" 'proc perl'

# The first and the last sample contain all processes of the node, to show which other programs used
# the CPUs.
is 'samples with all processes' "$(cat processes/*/[0-9]* | awk '
	/^[0-9]/ { group++; any = 0 }
	/^process / && !any++ { n++; newest = group }
	END { print n, group - newest }')" '2 0'

# The CPU time of processes whose parent has waited for them is recorded completely: it equals the
# CPU time that the kernel reports to the parent.
# shellcheck disable=SC2016
run -q -i 100ms -o sum -- perl -e '
	for (1 .. 20) { unless (fork) { 1 while (times)[0] < 0.05; exit } }
	1 while wait > 0; print join(" ", times)' >out
awk -v cpu="$(value sum job.cpu)" '{ all = $1 + $2 + $3 + $4 }
	END { exit !(cpu > all - 0.03 && cpu < all + 0.1) }' out ||
	fail "sum: CPU time $(value sum job.cpu) s, not $(cat out)"

# After kill -9 of the sampler, another sampler continues. After kill -9 of the command, its child
# processes are ended, too.
waits="until [ -e go.$$ ]; do sleep 0.1; done"
# shellcheck disable=SC2086
$as "$bin/nodometer" run -q -i 100ms -o sampler -- sh -c "$waits" 2>out &
pids="$pids $!" started=$!
wait_until 20 some "^sh.-c.*go[.]$$ "
front=$(front_of "$(processes "^sh.-c.*go[.]$$ " | head -n 1)")
kill -9 "$(at_sampler "$front")" || fail 'no sampler'
sleep 1
touch "go.$$"
wait $started
is 'sampler killed: status' $? 0
clean sampler
# shellcheck disable=SC2086
$as "$bin/nodometer" run -q -o killed -- sh -c 'sleep 777.125 & sleep 778.125; :' 2>out &
pids="$pids $!" started=$!
wait_until 20 some '^sleep.778[.]125'
kill -9 "$(front_of "$(processes '^sleep.778[.]125')")"
wait $started
is 'command killed: status' $? 137
wait_until 20 none 'sleep.77[78][.]125'
clean killed
# After kill -9 of the front process, which the user started, the command is ended, and the sampler
# ends after it has written the end mark.
# shellcheck disable=SC2086
setsid $as "$bin/nodometer" run -q -i 100ms -o front9 -- sh -c 'sleep 779.125 & sleep 780.125; :' &
pids="$pids $!"
wait_until 20 some '^sleep.780[.]125'
sleep 1		# after this time there are samples, so the sampler knows both processes
front=$(front_of "$(front_of "$(processes '^sleep.780[.]125')")")
kill -9 "$front"
wait_until 20 none 'sleep.7[78][90][.]125'
ended() { [ "$(ends front9 2>/dev/null)" = 1 ] && none "run.-q.*front9"; }
wait_until 20 ended
# The exit status of the command is unknown if its front process was killed.
! cat front9/*/[0-9]* | grep -a '^%end' | grep -q ' \(exit\|state\)=' ||
	fail "front killed: $(cat front9/*/[0-9]* | grep -a '^%end')"
