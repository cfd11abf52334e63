#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# as_root.sh - programs that root starts work as another user, without capabilities that they do not
# use
. "$(dirname "$0")/as_root_lib.sh"

write_config
[ ! -x "$bin/nodometer-top" ] || run top "$nobody" $none $sample "$scratch/out" \
	"$bin/nodometer-top" --config "$conf" --batch --delay 0.2

monitor=$bin/nodometer-monitor
# nodometer monitor writes a recording and a summary into a folder of root, and plays back the
# recording into new ones.
if has monitor; then
	start monitor "$nobody" $none $none "$own/record" "$monitor" modes,disk --interval 1 \
		--flush-interval 1 --record "$own/record" --summary "$own/summary"
	wait_until 10 filtered $pid
	end_program 10 $pid monitor
	grep -q '^User Mode .*[0-9]' "$own/summary" ||
		fail "no summary: $(cat "$own/summary" "$log")"
	is 'owners' "$(stat -c '%u %a' "$own/record" "$own/summary" | sort -u)" '0 644'
	cp "$own/summary" "$own/longer"
	expect 0 "$monitor" modes --input "$own/record" --summary "$own/longer"
	is 'a shorter summary' "$(grep -c '^User Mode' "$own/longer")" 1
	grep -q Disk "$own/longer" && fail 'the end of the longer summary is still there'
	expect 0 "$monitor" modes --input "$own/record" --record "$own/again"
	expect 0 "$monitor" --dump --input "$own/again" >"$scratch/dump"
	grep -q ' records, as the file header says$' "$scratch/dump" ||
		fail "$(tail -1 "$scratch/dump")"
	cp "$own/again" "$own/kept"
	expect 1 "$monitor" modes --input "$own/none" --record "$own/kept" 2>"$scratch/said"
	cmp -s "$own/again" "$own/kept" || fail 'a recording was emptied for nothing'
	expect 1 "$monitor" modes --input "$own/none" --record "$own/new" 2>"$scratch/said"
	grep -q 'none: No such file' "$scratch/said" && [ ! -e "$own/new" ] ||
		fail "$(cat "$scratch/said")"

	# With --input, the program also drops its rights before it reads the first byte of the
	# input.
	exec 4<>"$own/pipe"
	start 'monitor --input' "$nobody" $none $none "$own/record" "$monitor" modes \
		--input "$own/pipe" --record "$own/piped"
	cat "$own/record" >&4
	exec 4>&-
	wait_until 10 gone $pid
	wait $pid || fail "monitor --input: $(cat "$log")"
	is 'what came through a pipe' "$(wc -c <"$own/piped")" "$(wc -c <"$own/again")"
	forget $pid
fi

if has xrootd mpxstats; then
	# Receivers that listen at a port or read a capture become another user, who then owns the
	# files that they make.
	port=$(free_port)
	captured=$srcdir/tests/tracers/frm.dgram
	exec 4<>"$own/pipe"
	start 'xrootd --read' "$nobody" $none $none "$captured" "$bin/nodometer-xrootd" \
		--read "$own/pipe" --events -o "$own/read"
	cat "$captured" >&4
	exec 4>&-
	wait_until 10 gone $pid
	wait $pid || fail "xrootd --read: $(cat "$log")"
	forget $pid
	is 'whose file' "$(stat -c %u "$own/read")" "$nobody"
	expect 0 "$bin/nodometer-xrootd" --read "$captured" --events \
		>"$scratch/events" 2>"$scratch/said"
	cmp "$own/read" "$scratch/events" || fail 'a pipe and a file differ'
	# If the output file has a second hard link, which another user may have made, the file
	# stays root's.
	: >"$scratch/of_root"
	ln "$scratch/of_root" "$own/linked"
	"$bin/nodometer-xrootd" --read "$captured" --events -o "$own/linked" 2>"$scratch/said"
	is 'whose file with two names' "$(stat -c %u "$scratch/of_root")" 0
	expect 1 "$bin/nodometer-xrootd" --read "$own/none" 2>"$scratch/said"
	grep -q 'none: No such file' "$scratch/said" || fail "$(cat "$scratch/said")"
	for receiver in 'nodometer-xrootd --events' 'nodometer-mpxstats -f flat'; do
		# shellcheck disable=SC2086 # words
		start "$receiver" "$nobody" $none $none "$captured" \
			"$bin/"$receiver -p $port -o "$own/at"
		wait_until 10 bound "$port"
		end_program 10 $pid "$receiver"
	done
fi

# nodometer tcp record opens its file before root becomes another user; with --ring, it writes the
# file later.
if has tcp && grep -q '^#define HAVE_MNL ' config.h; then
	perl -MIO::Socket::INET -e 'my $l = IO::Socket::INET->new(Listen => 1,
		LocalAddr => "127.0.0.1") or die; my $c = IO::Socket::INET->new(
		PeerAddr => "127.0.0.1", PeerPort => $l->sockport) or die; sleep 60' 3>&- 4>&- &
	pids="$pids $!"
	start 'tcp record' "$nobody" $none $none "$own/all.pm" "$bin/nodometer-tcp" record -i 100 \
		-o "$own/all.pm"
	wait_until 10 filtered $pid
	sleep 0.3
	end_program 10 $pid 'tcp record'
	parses 'tcp report' "$own/all.pm" "$bin/nodometer-tcp" report "$own/pipe"
	parses 'tcp graph' "$own/all.pm" "$bin/nodometer-tcp" graph --text "$own/pipe"
	for _ in 1 2; do
		start 'tcp record --ring' "$nobody" $none $none "$own/all.pm" "$bin/nodometer-tcp" \
			record -i 100 --ring 10 -o "$own/ring.pm"
		kill -USR1 $pid
		wait_until 10 test -s "$own/ring.pm"
		end_program 10 $pid 'tcp record --ring'
	done
fi
