#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# flood.sh - a user floods the control socket: root's marks and other users are still served
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "needs root, to become other users"
for program in setpriv perl; do
	command -v $program >/dev/null || skip "no $program"
done
runtime=$(mktemp -d "${TMPDIR:-/tmp}/nodometer.XXXXXX") || exit 99
chmod 755 "$runtime"
# Use copies of the programs, because ordinary users may have no access to the build folder.
cp "$bin/nodometer" "$bin/nodometer-commands" "$runtime/" || exit 99
as_user() {	# UID COMMAND...
	uid=$1
	shift
	setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}

# Open 500 connections that send nothing; then four processes endlessly connect and send requests.
cat >"$runtime/flood" <<'PERL'
use Socket;
my ($path, $held) = @ARGV;
$SIG{PIPE} = 'IGNORE';
sub reach {
	socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!";
	return connect($s, pack_sockaddr_un($path)) ? $s : undef;
}
alarm 600;
my @all = map { reach() } 1 .. 500;
open(my $done, '>', "$held.new") or die "$held: $!";
print $done $$;
close($done);
rename("$held.new", $held);
for (1 .. 2) {
	fork() or alarm 600;
}
for (my $n = 0; ; $n++) {
	my $s = reach() or next;
	send($s, 'status 99999999999', 0);
	recv($s, my $answer, 70000, 0) if $n % 2;
}
PERL
write_config 'users = 990' 'interval = 100ms'
cp "$conf" "$runtime/conf"
started=$(date +%s)
start_agent
mkdir -m 777 "$runtime/theirs"
as_user 65534 setsid nice -n 19 perl "$runtime/flood" "$runtime/control" \
	"$runtime/theirs/held" 3>&- &
starter=$!
wait_until 20 test -e "$runtime/theirs/held"
flood=-$(cat "$runtime/theirs/held")	# the process group of the flood
pids="$pids $flood"

# The agent writes each of root's marks with its own record group; no hook has to write its mark
# itself.
is_denied() {
	answers && [ "$(value_of 'requests refused')" -gt 1000 ]
}
wait_until 20 is_denied
for i in 1 2 3 4 5 6 7 8; do
	expect 0 nodometer begin --strict --timeout 20 "job.$i" 2>"$scratch/err"
	[ ! -s "$scratch/err" ] || fail "begin says: $(cat "$scratch/err")"
done
is "begins" "$(count '^%begin job')" 8
is "marks not yet written" "$(value_of 'marks not yet written')" 0
case $(nodometer status | sed -n 's/^of them, lately, to  *//p') in
'user 65534: '[1-9]*) ;;
*) fail "status does not say who: $(nodometer status)" ;;
esac
nodometer status --json | grep -Eq '"denied":[0-9]{4,},.*"denied_to":\["user 65534: [0-9]+"\]' ||
	fail "status --json: $(nodometer status --json)"

# A configured user and an ordinary user get their answers.
mine() {
	as_user "$1" timeout 20 "$runtime/nodometer" --config "$runtime/conf" "$2" \
		--timeout 15 "$3" >"$scratch/out" 2>&1
}
mine 990 mark theirs || fail "a configured user's mark: $(cat "$scratch/out")"
is "a configured user's mark" "$(count '^%theirs$')" 1
other() {
	as_user 991 timeout 30 "$runtime/nodometer" --config "$runtime/conf" status >/dev/null 2>&1
}
wait_until 20 other

# Samples continue meanwhile; the log gets one line per minute.
n=$(groups | wc -l)
wait_until 20 goes_on 6
kill -s KILL -- "$flood"
wait "$starter" 2>/dev/null
forget "$flood"
expect 0 nodometer status >/dev/null
lines=$(grep -c 'user 65534' "$log")
minutes=$((($(date +%s) - started) / 60))
[ "$lines" -ge 1 ] && [ "$lines" -le $((minutes + 3)) ] || fail "$lines lines of one user"
wait_until 10 other
stop_agent
grep -q 'user 65534: [0-9]* more requests were refused' "$log" || fail "not counted"
whole_archive
