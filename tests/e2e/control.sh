#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# control.sh - the control socket: which users may send which requests, and which connections cannot
# block it
. "$(dirname "$0")/lib.sh"

runtime=$(mktemp -d "${TMPDIR:-/tmp}/nodometer.XXXXXX") || exit 99
chmod 755 "$runtime"
write_config
start_agent

# Garbage, and requests of any size, are answered or dropped.

# raw_request PACKED-TEXT: send a request, given as a string in Perl's notation, and print the
# answer
raw_request() {
	perl "$srcdir/tests/e2e/ask.pl" "$runtime/control" "$1"
}
if perl -MSocket -e 1 2>/dev/null; then
	for request in '\0' 'begin' 'begin x 5' 'fly 99999999999' '\xff\xfe\0\x01' 'begin 5' \
		'begin 99999999999999999999 5' 'collect -5' '" x 5000 . "'; do
		answer=$(raw_request "$request" | tr -d '\0')
		case $answer in
		'' | error*) ;;
		*) fail "request \"$request\": $answer" ;;
		esac
	done
	is "a request that has expired" "$(raw_request 'begin 1 1101')" ""
	is "answer to a bad id" "$(raw_request 'begin 99999999999 a,b' | cut -c 1-28)" \
		'error "a,b": invalid job id:'
	is "marks" "$(marks)" ""
	case $(raw_request 'reload 99999999999') in
	ok*) ;;
	*) fail "no answer to reload" ;;
	esac
	answers || fail "the agent is gone"

	# 1000 connections are held open at once and send nothing.
	perl -e '
		use Socket;
		my @all;
		for (1 .. 1000) {
			socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or last;
			last unless connect($s, pack_sockaddr_un($ARGV[0]));
			push @all, $s;
		}
		open(my $f, ">", $ARGV[1]);
		print $f scalar(@all);
		close($f);
		sleep 60;
	' "$runtime/control" "$scratch/idle" &
	idle=$!
	pids="$pids $idle"
	wait_until 10 test -s "$scratch/idle"
	echo "$(cat "$scratch/idle") idle connections"
	expect 0 bounded 20 begin --strict 1102
	expect 0 bounded 20 status >/dev/null
	is "marks" "$(marks)" "%begin 1102"
	kill "$idle"
	wait "$idle" 2>/dev/null
	forget "$idle"

	# Requests and answers are those of nodometer 0.1.0, byte by byte, because during an upgrade
	# a hook or the agent is older than the other.
	while IFS='|' read -r request answer; do
		is "answer to \"$request\"" "$(raw_request "$request" | tr '\n' ' ' |
			sed 's/[0-9]\{10\}\.[0-9]*/TIME/; s/pid [0-9]*/pid N/
				s/version [0-9.]*/version V/' |
			cut -c 1-29 | sed 's/ $//')" "$answer"
	done <<'END'
begin 99999999999 1100|ok TIME
begin 99999999999 1100|ok job 1100 owns this node al
mark 99999999999 middle|ok TIME
collect 99999999999|ok TIME
begin 99999999999 1100 user=u queue=a,b|ok job 1100 owns this node al
release 99999999999 1100|ok TIME
acquire 99999999999 1100|ok TIME
end 99999999999 1100|ok TIME
end 99999999999 1100|ok job 1100 has ended already
yield 99999999999|error refused: jobs may ask f
fly 99999999999 1100|error unknown request
begin 99999999999 1100|ok TIME
summary 99999999999 1100|ok {"job":"1100","host":"node
status 99999999999|ok version V pid N since TIME
rotate 99999999999|ok TIME
END
else
	echo "no perl: neither garbage nor idle connections are tried"
fi
expect 0 nodometer begin 1103
is "jobs" "$(last_jobs | sed 's/^1102,//')" 1103

# An unprivileged user may ask for the status, and may mark only if the configuration permits it.
[ "$(id -u)" -eq 0 ] || skip "the rest needs root, to become nobody"
command -v setpriv >/dev/null || skip "the rest needs setpriv"
tool=$runtime/nodometer
cp "$bin/nodometer" "$bin/nodometer-commands" "$runtime/"
cp "$conf" "$runtime/conf"
chmod 755 "$tool" "$tool-commands"
chmod 644 "$runtime/conf"
as_nobody() {
	setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups \
		timeout -k 1 30 "$tool" --config "$runtime/conf" "$@"
}
as_nobody --version >/dev/null 2>&1 || skip "nobody cannot run a copy of nodometer in $runtime"
expect 0 as_nobody status >"$scratch/out"
grep -q '^job  *1103' "$scratch/out" || fail "status: $(cat "$scratch/out")"
n=$(groups | wc -l)
expect 0 as_nobody begin 1104 2>"$scratch/err"
grep -q 'may not begin' "$scratch/err" || fail "begin as nobody: $(cat "$scratch/err")"
expect 1 as_nobody begin --strict 1104 2>/dev/null
expect 1 as_nobody end --strict 1103 2>/dev/null
expect 1 as_nobody mark graffiti 2>/dev/null
expect 1 as_nobody collect 2>/dev/null
expect 1 as_nobody rotate 2>/dev/null
is "groups" "$(groups | wc -l)" "$n"

write_config 'users = somebody, nobody'
kill -s HUP "$agent"
allowed() {
	as_nobody mark allowed 2>/dev/null
}
wait_until 5 allowed
expect 0 as_nobody begin --strict 1104
is "jobs" "$(last_jobs | sed 's/^1102,//')" 1103,1104
expect 0 as_nobody end --strict 1104
write_config 'users = nobody2, nobod'
kill -s HUP "$agent"
refused() {
	! allowed
}
wait_until 5 refused
stop_agent
whole_archive
