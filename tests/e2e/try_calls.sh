#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# try_calls.sh - each confined process, made to try system calls of an intruder, fails in all of
# them
. "$(dirname "$0")/try_calls_lib.sh"

# Try the calls in receivers that root starts.
for receiver in 'nodometer-xrootd --events --names' 'nodometer-mpxstats -f flat -s'; do
	has xrootd mpxstats || break
	# shellcheck disable=SC2086 # words
	"$bin/"$receiver -p $port -o "$scratch/out/file" 2>>"$log" 3>&- &
	receives=$!
	pids="$pids $receives"
	wait_until 10 bound "$port"
	refuses "$receives" "${receiver%% *}" $signals
	for child in $(children "$receives"); do
		wait_until 10 filtered "$child"
		is 'its sockets' "$(find "/proc/$child/fd" -lname 'socket:*' | wc -l)" 1
		refuses "$child" "names of ${receiver%% *}" internet
	done
	end_program 10 "$receives" "$receiver"
done

# Try the calls in the process of nodometer-answer that serves a user who sends nothing more and
# does not read; it runs with the ids of its unit.
one_answers() { [ -n "$(children "$asks")" ] && filtered "$(children "$asks")"; }
if has answer; then
	mkdir "$scratch/central"
	perl "$srcdir/tests/integration/answer/archive.pl" "$scratch/central" 1795046400 4 4 ||
		fail 'no central archive'
	chown -R 12345:54321 "$scratch/central"
	printf '[agent]\ndir = %s\n[answer]\ngroups = root\n' "$scratch/central" \
		>"$scratch/answer.conf"
	perl -e 'use Socket; socketpair(my $own, my $other, AF_UNIX, SOCK_STREAM, 0) or die $!;
		if (my $pid = fork) {
			my $request = "records - - 4711009";
			syswrite($own, "Q" . pack("N", length($request)) . $request);
			sleep 600;
		}
		close $own;
		open(STDIN, "<&", $other) && exec @ARGV or die $!;
		' setpriv --reuid 12345 --regid 54321 --clear-groups \
		"$bin/nodometer-answer" --config "$scratch/answer.conf" 2>>"$log" 3>&- &
	asks=$!
	pids="$pids $asks"
	wait_until 10 one_answers
	answers_one=$(children "$asks")
	refuses "$answers_one" nodometer-answer
	kill -KILL "$answers_one" "$asks"
	forget "$asks"
fi

# Try the calls in the agent, which runs with the user and capabilities of its unit, in its writer
# and in its workers.
write_config 'live-interval = 1s'
setpriv --reuid 12345 --regid 54321 --clear-groups --inh-caps +dac_read_search,+perfmon \
	--ambient-caps +dac_read_search,+perfmon "$bin/nodometerd" --foreground --config "$conf" \
	2>>"$log" 3>&- &
agent=$!
pids="$pids $agent"
wait_until 20 answers
# A process that only looks up names of users ends on its own, so it may be gone.
of_agent=
for child in $(children "$agent"); do
	wait_until 10 ready_or_gone "$child"
	[ -d "/proc/$child" ] || continue
	name=$(of "$child" Name)
	of_agent="$of_agent $name"
	case $name in writer) ends=$signals ;; *) ends= ;; esac
	refuses "$child" "agent's $name" perf_event_open $ends
done
case $of_agent in *writer*) ;; *) fail "the agent's processes: $of_agent" ;; esac
refuses "$agent" agent perf_event_open $signals
answers || fail 'the agent does not answer'
is 'landlock in status' "$(value_of 'landlock ABI (0: none)')" "$abi"
is 'what landlock holds' "$(value_of 'landlock holds')" "$holds"
cp -p /etc/passwd /etc/passwd.new
mv /etc/passwd.new /etc/passwd
kill -HUP "$agent"
wait_until 5 log_says '/etc/passwd: it was replaced'
answers || fail 'the agent does not answer'

# Try the calls in the sender: it starts a process for each sink.
has_sinks() { [ "$(children "$sender" | grep -c .)" = 2 ]; }
if has send; then
	write_config '[send]' "state-dir = $scratch/state" '[sink metrics]' \
		"textfile-dir = $scratch/text" '[sink xrootd]' "destination = 127.0.0.1:$port"
	launch_sender
	wait_until 10 has_sinks
	for child in $(children "$sender"); do
		refuses "$child" "sink's $(of "$child" Name)" internet $signals
	done
	refuses "$sender" sender internet $signals
	end_program 10 "$sender" 'the sender'
fi
stop_agent
echo "$total calls of $listed in $n processes, landlock ABI $abi: 0 unexpected successes"
