# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# lib_programs.sh - how end-to-end tests start agents, senders and receivers, look at their
# processes, and end them

nodometer() {
	"$bin/nodometer" --config "$conf" "$@"
}

# bounded SECONDS ARGUMENTS...: run nodometer with ARGUMENTS; after SECONDS end it by SIGTERM, and a
# second later by SIGKILL
bounded() {
	limit=$1
	shift
	timeout -k 1 "$limit" "$bin/nodometer" --config "$conf" "$@"
}

# quick MS COMMAND...: fail unless COMMAND returns within MS milliseconds plus ten times the start
# time of nodometer. One good run of ten is enough, because a busy machine may delay any single run.
quick() {
	most=$1
	shift
	started=$(date +%s%N)
	"$bin/nodometer" --version >/dev/null
	most=$((most + ($(date +%s%N) - started) / 100000))
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		started=$(date +%s%N)
		"$@"
		took=$((($(date +%s%N) - started) / 1000000))
		[ $took -gt "$most" ] || return 0
	done
	fail "$*: took $took ms, ten times in turn"
}

answers() {
	bounded 30 status >"$scratch/status" 2>/dev/null
}

# forget PID: remove PID from the processes that cleanup() ends
forget() {
	rest=
	for p in $pids; do
		[ "$p" = "$1" ] || rest="$rest $p"
	done
	pids=$rest
}

# launch_agent [OPTIONS...]: start an agent with pid $agent; it may not answer yet
launch_agent() {
	"$bin/nodometerd" --foreground --config "$conf" "$@" 2>>"$log" 3>&- &
	agent=$!
	pids="$pids $agent"
}

# launch_sender [OPTIONS...]: start nodometer-send with pid $sender
launch_sender() {
	"$bin/nodometer-send" --config "$conf" "$@" 2>>"$log" 3>&- &
	sender=$!
	pids="$pids $sender"
}

# kill_sender: kill the sender and the processes of its sinks
kill_sender() {
	# shellcheck disable=SC2046 # numbers
	kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
	wait "$sender" 2>/dev/null
	forget "$sender"
}

# keep_posts PATH: start an HTTP server at $port with pid $server, which appends the body of each
# POST to PATH
keep_posts() {
	perl "$srcdir/tests/e2e/keep_posts.pl" "$port" "$1" 3>&- &
	server=$!
	pids="$pids $server"
}

start_agent() {
	launch_agent "$@"
	wait_until 20 answers
}

log_says() { grep -q "$1" "$log"; }	# PATTERN

# of PID KEY: print the value of KEY in /proc/PID/status
of() { sed -n "s/^$2:[[:blank:]]*//p" "/proc/$1/status" 2>/dev/null; }

children() {	# PID
	grep -l "^PPid:[[:blank:]]*$1\$" /proc/[0-9]*/status 2>/dev/null |
		sed 's|/proc/\([0-9]*\)/.*|\1|'
}

# filtered PID: succeed if the process has a seccomp filter and cannot gain privileges
filtered() { [ "$(of "$1" Seccomp)" = 2 ] && [ "$(of "$1" NoNewPrivs)" = 1 ]; }

# landlock_abi: print the kernel's landlock ABI version, or 0 if the kernel or this build lacks
# landlock
landlock_abi() {
	if grep -q '^#define HAVE_LINUX_LANDLOCK_H' config.h; then
		perl -e 'my $v = syscall(444, 0, 0, 1); print $v > 0 ? $v : 0'
	else
		echo 0
	fi
}

is_zombie() {	# PID
	grep -q '^State:[[:blank:]]*Z' "/proc/$1/status" 2>/dev/null
}

# gone PID...: succeed if none of these processes is running
gone() {
	for p; do
		[ ! -d "/proc/$p" ] || is_zombie "$p" || return 1
	done
}

# end_program SECONDS PID NAME [SIGNAL]: end a program by SIGNAL (default TERM) within SECONDS. Fail
# unless its exit status is 0 or SIGNAL is KILL.
end_program() {
	kill -s "${4:-TERM}" "$2" || fail "$3 is gone"
	wait_until "$1" gone "$2"
	wait "$2" 2>/dev/null
	ended=$?
	forget "$2"
	[ "${4:-TERM}" = KILL ] || is "exit status of $3" "$ended" 0
}

stop_agent() { end_program 10 "$agent" "the agent" "$@"; }	# [SIGNAL]

# flood PORT TEXT: start a process with pid $flooder that sends TEXT to UDP port PORT again and
# again, for at most 30 seconds
flood() {
	perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		my ($to, $end) = (pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK), time + 30);
		while (time < $end) { send($s, $ARGV[1], 0, $to) for 1 .. 2000 }' "$1" "$2" 3>&- &
	flooder=$!
	pids="$pids $flooder"
}
end_flood() {
	kill "$flooder" || fail 'it ended when nothing came any more'
	wait "$flooder" 2>/dev/null
	forget "$flooder"
}
