#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# try_calls.sh - each process that is confined is made to try what an intruder would: all is refused
[ "$(id -u)" = 0 ] || { echo 'SKIP: root alone can make others try'; exit 77; }
[ -n "${THROWN_AWAY:-}" ] || unshare --mount --pid --net --fork true 2>/dev/null ||
	{ echo 'SKIP: no right to namespaces of its own'; exit 77; }
[ -n "${THROWN_AWAY:-}" ] || THROWN_AWAY=1 exec unshare --mount --uts --ipc --net --pid --fork \
	--mount-proc "$0" "$@"
. "$(dirname "$0")/lib.sh"
port=$(free_port)
# The leak checker of a build with sanitizers traces its process, which nobody else may then.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# A place that every user can come to; what is tried would be done to it alone.
mount -t tmpfs -o mode=755 none /mnt || skip 'nothing can be mounted'
mkdir -p "$scratch" /mnt/bin /mnt/victims
mount --bind "$bin" /mnt/bin || skip 'nothing can be mounted'
# shellcheck disable=SC2086 # CC may be two words
${CC:-cc} -o /mnt/try "$srcdir/tests/e2e/try_calls.c" 2>"$scratch/said" ||
	skip "no compiler: $(cat "$scratch/said")"
bin=/mnt/bin
scratch=/mnt/scratch
mkdir -p /mnt/etc/ssh
for of_etc in passwd group nsswitch.conf hosts login.defs localtime ld.so.cache alternatives; do
	[ ! -e "/etc/$of_etc" ] || cp -a "/etc/$of_etc" /mnt/etc
done
for secret in shadow gshadow sudoers ssh/ssh_host_ed25519_key; do
	(umask 077 && echo secret >"/mnt/etc/$secret")
done
mount --bind /mnt/etc /etc || skip 'nothing can be mounted'
archive=$scratch/archive
runtime=$scratch/run
conf=$scratch/nodometer.conf
log=$scratch/log
mkdir -p "$archive" "$runtime" "$scratch/out" "$scratch/text"
for_receivers "$scratch/out"
chown -R 12345:54321 "$archive" "$runtime" "$scratch/text"

uid() { of "$1" Uid | cut -f 1; }
rests() {	# PID
	case $(cat "/proc/$1/syscall" 2>/dev/null) in running | '') return 1 ;; esac
}
ready_or_gone() { [ ! -d "/proc/$1" ] || { filtered "$1" && rests "$1"; }; }

# try PID: "CALL ERRNO" of each call, into $scratch/tried
n=0
try() {
	n=$((n + 1))
	wait_until 10 rests "$1"
	/mnt/try "$1" "$(uid "$1")" "/mnt/victims/$n" >"$scratch/tried" 2>"$scratch/said" ||
		fail "$(of "$1" Name): $(cat "$scratch/said")"
}

# What of the list fails where nobody confines it, by the machine's own rules, proves nothing.
sleep 1000 3>&- &
pids="$pids $!"
wait_until 10 rests $!
/mnt/try $! 0 /mnt/victims/0 >"$scratch/tried" 2>"$scratch/said" || {
	[ $? -ne 77 ] || skip 'registers of this architecture are not known'
	skip "nothing can be tried: $(cat "$scratch/said")"
}
awk '$2 != 1 && $2 != 13 && $2 != 18 && $2 != 38 { print $1 }' "$scratch/tried" >"$scratch/list"
listed=$(grep -c . "$scratch/list")
[ "$listed" -ge 40 ] || skip "a list of $listed calls"

# What older kernels cannot hold, and what status says then.
abi=$(landlock_abi)
[ "$abi" -gt 0 ] || skip 'no landlock'
unheld='' holds=files
[ "$abi" -ge 3 ] && holds=$holds,truncate || unheld="$unheld truncate"
[ "$abi" -lt 5 ] || holds=$holds,devices
signals=	# of processes that may end those that they start
[ "$abi" -ge 6 ] && holds=$holds,signals,sockets ||
	unheld="$unheld connect sendto" signals=kill

# refuses PID WHAT [CALL...]: all of the list but these calls, which WHAT needs
total=0
refuses() {
	pid=$1
	what=$2
	shift 2
	wait_until 10 filtered "$pid"
	try "$pid"
	succeeds=$(awk -v needs=" $* $unheld " 'NR == FNR { e[$1] = $2; next }
		e[$1] !~ /^(1|13|18|38)$/ && !index(needs, " " $1 " ") {
			print $1 " gives " e[$1]; exit
		}' "$scratch/tried" "$scratch/list")
	[ -z "$succeeds" ] || fail "$what, uid $(uid "$pid"): $succeeds"
	total=$((total + listed))
	filtered "$pid" || fail "$what does not go on"
	echo "$what: uid $(uid "$pid"), CapEff $(of "$pid" CapEff), CapBnd $(of "$pid" CapBnd)"
}

# Receivers, started by root.
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

# The one that answers a user, as its unit runs it: who asks does not read what comes.
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

# The agent as its unit runs it, its writer and the workers.
write_config 'live-interval = 1s'
setpriv --reuid 12345 --regid 54321 --clear-groups --inh-caps +dac_read_search,+perfmon \
	--ambient-caps +dac_read_search,+perfmon "$bin/nodometerd" --foreground --config "$conf" \
	2>>"$log" 3>&- &
agent=$!
pids="$pids $agent"
wait_until 20 answers
# A process that only asks for the names of users ends by itself.
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

# The sender: a process for each sink, and the one that starts them.
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
