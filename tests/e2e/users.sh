#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# users.sh - users and user groups in the configuration: the agent waits for no name service, and
# refusals do not fill the log
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "needs root, to become nobody"
for program in setpriv perl; do
	command -v $program >/dev/null || skip "no $program"
done
case "${SAN:-}" in *sanitize*) skip "a sanitizer and names_shim.c do not go together" ;; esac
# shellcheck disable=SC2086 # a compiler and its words
${CC:-cc} -shared -fPIC -o "$scratch/names.so" "$srcdir/tests/e2e/names_shim.c" ||
	skip "no compiler for names_shim.c"

runtime=$(open_folder) || exit 99
# ask REQUEST TIMES [KEPT]: as user $uid in the user groups of $as, open KEPT idle connections, send
# REQUEST TIMES times, and print the last answer
uid=65534
as='--regid 65534 --clear-groups'
ask() {
	# shellcheck disable=SC2086 # a list of options
	setpriv --reuid $uid $as perl -e '
		use Socket;
		$SIG{PIPE} = "IGNORE";	# a user who sends requests too often is turned away
		$SIG{ALRM} = sub { print "no answer"; exit };
		alarm 10;
		my ($answer, @kept);
		for (1 .. $ARGV[3]) {
			socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
			connect($s, pack_sockaddr_un($ARGV[0])) or die "connect: $!";
			push @kept, $s;
		}
		for (1 .. $ARGV[2]) {
			socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
			connect($s, pack_sockaddr_un($ARGV[0])) or die "connect: $!";
			send($s, "$ARGV[1]", 0);
			recv($s, $answer, 70000, 0);
		}
		print $answer;
	' "$runtime/control" "$1" "$2" "${3-0}"
}
mark() {
	ask 'mark 99999999999 by-nobody' 1
}

# While the name service hangs, samples and requests continue, even of users not yet looked up.
write_config 'users = somebody' 'interval = 50ms'
LD_PRELOAD=$scratch/names.so NAMES_ANSWER=$scratch/answer \
	"$bin/nodometerd" --foreground --config "$conf" 2>>"$log" 3>&- &
agent=$!
pids="$pids $agent"
wait_until 20 answers
is "nobody may not mark" "$(mark | cut -c 1-26)" 'error user 65534 may not m'
case $(ask 'status 99999999999' 1) in
'ok version'*) ;;
*) fail "no answer to status" ;;
esac
n=$(groups | wc -l)
wait_until 10 goes_on 10
pipes() { find "/proc/$agent/fd" -lname 'pipe:*' | wc -l; }
during=$(pipes)
kill -s HUP "$agent"
wait_until 10 grep -q 'configuration reloaded' "$log"
is "pipes after a reload" "$(pipes)" "$during"
is "nobody may not mark" "$(mark | cut -c 1-26)" 'error user 65534 may not m'

# Refused requests of a user make one line in the log, and later the number of further refusals.
ask 'mark 99999999999 flood' 500 >/dev/null
is "lines of refused requests" "$(grep -c 'user 65534 may not' "$log")" 1

# Users with 32-bit ids are supported.
uid=4000000000
is "a large number may not mark" "$(mark | cut -c 1-27)" 'error user 4000000000 may n'
uid=65534

# Once the name service answers, the user may mark.
: >"$scratch/answer"
allowed() {
	case $(mark) in ok*) ;; *) return 1 ;; esac
}
wait_until 10 allowed
pipe_is_closed() { [ "$(pipes)" = $((during - 1)) ]; }
wait_until 10 pipe_is_closed
stop_agent
grep -Eq 'user 65534: 5[0-9][0-9] more requests were refused' "$log" || fail "not counted"
[ "$(grep -c refused "$log")" -le 2 ] || fail "$(grep -c refused "$log") lines of refused requests"

# with USERS: start an agent with "users = USERS"; names hang until $scratch/answer exists
with() {
	write_config "users = $1"
	LD_PRELOAD=$scratch/names.so NAMES_ANSWER=$scratch/answer \
		"$bin/nodometerd" --foreground --config "$conf" 2>>"$log" 3>&- &
	agent=$!
	pids="$pids $agent"
	wait_until 20 answers
}
# may YES|NO GROUPS: fail unless user nobody in these user groups may (yes) or may not (no) mark
may() {
	as=$2
	case $1,$(mark) in
	yes,ok* | no,'error user 65534 may not mark'*) ;;
	*) fail "with users = $users, $2: $(mark)" ;;
	esac
	as='--regid 65534 --clear-groups'
}

# Numbers, and names in /etc/passwd and /etc/group, need no name service.
rm "$scratch/answer"
for users in 65534 nobody all; do
	with "root, $users"
	may yes '--regid 65534 --clear-groups'
	stop_agent
done
daemon=$(awk -F: '$1 == "daemon" { print $3 }' /etc/group)
for users in "@$daemon" @daemon; do
	with "root, $users"
	may yes "--regid $daemon --clear-groups"
	may yes "--regid 65534 --groups 7,$daemon,9"
	may no '--regid 65534 --groups 7,9'
	may no '--regid 65534 --clear-groups'
	stop_agent
done

# Members of a user group that only the name service knows have no rights until it answers.
users=@somegroup
with "$users"
may no '--regid 65534 --groups 4242'
: >"$scratch/answer"
as='--regid 65534 --groups 4242'
wait_until 10 allowed
may yes '--regid 65534 --groups 4242'
may no '--regid 65534 --clear-groups'

# Members of a configured user group may open many connections; with "all", sixteen per user.
as='--regid 65534 --groups 4242'
case $(ask 'mark 99999999999 many' 1 20) in
ok*) ;;
*) fail 'a member has too many connections' ;;
esac
stop_agent
with all
case $(ask 'mark 99999999999 few' 1 20) in ok*) fail 'one of all has too many connections' ;; esac
wait_until 10 grep -q 'user 65534 may not ask so often' "$log"
may yes '--regid 65534 --clear-groups'
stop_agent
