#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# users.sh - users in the configuration: no name service is waited for; what is refused fills no log
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "needs root, to become nobody"
for program in setpriv perl; do
	command -v $program >/dev/null || skip "no $program"
done
case "${SAN:-}" in *sanitize*) skip "a sanitizer and names_shim.c do not go together" ;; esac
# shellcheck disable=SC2086 # a compiler and its words
${CC:-cc} -shared -fPIC -o "$scratch/names.so" "$srcdir/tests/e2e/names_shim.c" ||
	skip "no compiler for names_shim.c"

runtime=$(mktemp -d "${TMPDIR:-/tmp}/nodometer.XXXXXX") || exit 99
chmod 755 "$runtime"
# ask REQUEST TIMES: as nobody, prints the last answer
ask() {
	setpriv --reuid 65534 --regid 65534 --clear-groups perl -e '
		use Socket;
		$SIG{PIPE} = "IGNORE";	# who asks too often is turned away
		$SIG{ALRM} = sub { print "no answer"; exit };
		alarm 10;
		my $answer;
		for (1 .. $ARGV[2]) {
			socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
			connect($s, pack_sockaddr_un($ARGV[0])) or die "connect: $!";
			send($s, "$ARGV[1]", 0);
			recv($s, $answer, 70000, 0);
		}
		print $answer;
	' "$runtime/control" "$1" "$2"
}
mark() {
	ask 'mark 99999999999 by-nobody' 1
}

# The name service hangs: samples and requests go on, of the user too who may not do more yet.
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
more_groups() {
	[ "$(groups | wc -l)" -ge $((n + 10)) ]
}
wait_until 10 more_groups
kill -s HUP "$agent"
wait_until 10 grep -q 'configuration read again' "$log"
is "nobody may not mark" "$(mark | cut -c 1-26)" 'error user 65534 may not m'

# One user's requests are one line, however many; then how many more there were.
ask 'mark 99999999999 flood' 500 >/dev/null
is "lines of refused requests" "$(grep -c 'user 65534 may not' "$log")" 1

# It answers in the end.
: >"$scratch/answer"
allowed() {
	case $(mark) in ok*) ;; *) return 1 ;; esac
}
wait_until 10 allowed
stop_agent
grep -Eq 'user 65534: 5[0-9][0-9] more requests were refused' "$log" || fail "not counted"
[ "$(grep -c refused "$log")" -le 2 ] || fail "$(grep -c refused "$log") lines of refused requests"

# Numbers and names of /etc/passwd need none.
rm "$scratch/answer"
for users in 65534 nobody; do
	write_config "users = root, $users"
	LD_PRELOAD=$scratch/names.so \
		"$bin/nodometerd" --foreground --config "$conf" 2>>"$log" 3>&- &
	agent=$!
	pids="$pids $agent"
	wait_until 20 answers
	case $(mark) in ok*) ;; *) fail "$users may not mark" ;; esac
	stop_agent
done
