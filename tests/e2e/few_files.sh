#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# few_files.sh - an agent with too few file descriptors reports this, and no mark is lost
. "$(dirname "$0")/lib.sh"

command -v prlimit >/dev/null || skip "no prlimit"
command -v perl >/dev/null || skip "no perl"

# With too few file descriptors to start, the agent reports this and exits, and hooks write their
# marks themselves.
for most in 12 28 63; do
	prlimit --nofile=$most "$bin/nodometerd" --config "$conf" 2>"$scratch/said"
	is "exit status with $most files" $? 2
	grep -q "the limit of open files is $most" "$scratch/said" ||
		fail "it does not say why it ends: $(cat "$scratch/said")"
done
expect 0 nodometer begin --strict 1
expect 0 nodometer end --strict 1

# As for a systemd service, the limit may be only a soft limit, which the agent raises.
prlimit --nofile=12:1024 "$bin/nodometerd" --config "$conf" 2>>"$log" 3>&- &
agent=$!
pids="$pids $agent"
wait_until 20 answers
expect 0 nodometer begin --strict 2

# If no descriptor is left, hooks do not wait for an agent that cannot accept them.
prlimit --nofile=100:1024 --pid "$agent" || fail "no prlimit"
# in_reserve: print how many sockets the agent has open twice. Its spare descriptor is a second
# descriptor of its listening socket.
in_reserve() {
	# shellcheck disable=SC2012 # the targets of links
	ls -l "/proc/$agent/fd" | sed -n 's/.*-> \(socket:.*\)/\1/p' | sort | uniq -d | wc -l
}
is "sockets with a spare descriptor" "$(in_reserve)" 1
# The agent closes each new connection for which it has no descriptor, and keeps the earlier ones
# open. It accepts a later connection if it has just closed a file that it was reading.
perl -MSocket -e '
	sub ask {
		socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die;
		connect($s, pack_sockaddr_un($ARGV[0])) or die "connect: $!";
		push @all, $s;
	}
	sub closed {	# return true if the connection is closed within these seconds
		vec(my $one = "", fileno($_[0]), 1) = 1;
		return select($one, undef, undef, $_[1]) == 1;
	}
	for my $n (150, 4) {
		ask() for 1 .. $n;
		closed($all[-1], 60) or closed($all[-2], 60) or die "the last ones stay open\n";
	}
	my @open = grep { !closed($all[$_], 0) } 0 .. $#all;
	my $kept = 0;
	$kept++ while $kept < @open and $open[$kept] == $kept;
	die "open: @open\n" if $kept < 20 or @open > $kept + 2' "$runtime/control" 3>&- ||
	fail "an agent without descriptors accepts or closes others"
is "sockets with a spare descriptor after use" "$(in_reserve)" 1
perl -MSocket -e '
	# some connections are refused; others use descriptors that become free
	for my $i (1 .. 900) {
		socket($all[$i], AF_UNIX, SOCK_SEQPACKET, 0) or die;
		connect($all[$i], pack_sockaddr_un($ARGV[0])) or die;
		select(undef, undef, undef, 0.02) if $i > 100;
	}' "$runtime/control" 3>&- &
crowd=$!
pids="$pids $crowd"
begin() { bounded 30 begin --strict "$@" 2>"$scratch/err"; }
unheard() { begin 3 && grep -q 'marking without it' "$scratch/err"; }
wait_until 10 unheard
quick 900 begin 3
kill "$crowd"
wait "$crowd" 2>/dev/null
forget "$crowd"
expect 0 nodometer end --strict 2 2>"$scratch/err"
[ ! -s "$scratch/err" ] || fail "end says: $(cat "$scratch/err")"
expect 0 nodometer mark last
is "jobs" "$(last_jobs)" 3
stop_agent
is "marks" "$(marks | uniq | tr '\n' ' ')" \
	'%begin 1 %end 1 %begin 2 %begin 3 %end 2 %last '
whole_archive
