#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# messages.sh - if a receiver has many outputs, each output gets the right lines in its format
here=${srcdir:-.}/tests/tracers
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
work=$(mktemp -d) || exit 99
[ "$(id -u)" != 0 ] || chown 65534:65534 "$work"	# the user that a receiver of root becomes
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

perl "$here/made_dgram.pl" >"$work/made.dgram" || exit 99

# read_all CAPTURE OPTION...: read CAPTURE once, and write all outputs that the options name
read_all()
{
	./nodometer-xrootd --read "$@" 2>"$work/log" || fail "$* $(cat "$work/log")"
}

echo 'accesses, to WLCG or OSG'
read_all "$work/made.dgram" --transfers "$work/own" \
	--transfers "$work/wlcg" --format wlcg --vo cms --path /store,/user/dteam \
	--transfers "$work/osg" --format osg --rest
said=$(python3 "$here/messages.py" routes "$work/own" "$work/wlcg" "$work/osg") ||
	fail 'accesses have other ways'
[ "$said" = '15 9' ] || fail "accesses: $said"

echo 'how far files are that are open'
read_all "$work/made.dgram" --transfers "$work/plain" --transfers "$work/open" --open \
	--transfers "$work/cms" --vo cms --open
far='"timestamp":17000000[0-9]*,.*"read":600,.*"read_is":"at_least",.*"bytes_from":"report"'
far=$far',.*"missing":\["close"\],"ended_by":null'
[ "$(grep -c "$far" "$work/open") $(grep -c "$far" "$work/cms")" = '24 6' ] ||
	fail 'open files have other lines'
grep -v "$far" "$work/open" | cmp - "$work/plain" || fail '--open changes other lines'

echo 'events of caches, copies and connections'
for capture in "$here"/*.dgram "$work/made.dgram"; do
	read_all "$capture" --events "$work/events" --cache "$work/cache" \
		--cache "$work/cache.w" --format wlcg --copies "$work/tpc" \
		--copies "$work/tpc.w" --format wlcg --connections "$work/tcp"
	: >"$work/tcp.w"
	for kind in cache tpc tcp; do
		n=$(python3 "$here/messages.py" g $kind "$work/events" "$work/$kind" \
			"$work/$kind.w" 2>"$work/log") ||
			fail "$kind of ${capture##*/}: $(tail -n 1 "$work/log")"
		total=$((${total:-0} + ${n:-0}))
		! grep -q SECRET "$work/$kind" "$work/$kind.w" || fail 'a secret'
		cat "$work/$kind" "$work/$kind.w" >>"$work/all.$kind"
		rm "$work/$kind" "$work/$kind.w"
	done
	rm "$work/events"
done
[ "$total" -ge 17 ] || fail "only $total events"
read_all "$work/made.dgram" --copies "$work/w" --format wlcg --path /store,/user/dteam \
	--copies "$work/r" --rest --cache "$work/c" --path /store --cache "$work/d" --rest
[ "$(wc -l <"$work/w") $(wc -l <"$work/r") $(wc -l <"$work/c") $(wc -l <"$work/d")" = '2 1 1 3' ] ||
	fail 'events have other ways'
read_all "$work/made.dgram" --copies "$work/w" --path /store --cache "$work/e" --rest
[ "$(wc -l <"$work/e")" = 4 ] || fail 'a filter of copies changes the rest of the cache'

echo 'summary packets'
# Make the same packets twice: with a site, and from servers that do not know sites.
for site in 'site="SITE"' 'ins2=""'; do
	perl -e '
		binmode(STDIN);
		read(STDIN, my $head, 8);
		print $head;
		while (read(STDIN, $head, 24) == 24) {
			read(STDIN, my $data, unpack("x16 N", $head));
			$data =~ s/ site=""/ $ARGV[0]/;
			print substr($head, 0, 16), pack("NN", length $data, 0), $data;
		}' "$site" <"$here/summary.packets" >"$work/${site%%=*}.packets"
done
for packets in "$here/summary.packets" "$work/ins2.packets" "$work/site.packets"; do
	read_all "$packets" --summaries "$work/summaries"
	said=$(python3 "$here/messages.py" summary "$packets" "$work/summaries") ||
		fail 'summaries differ'
	cat "$work/summaries" >>"$work/all.summaries"
	rm "$work/summaries"
done
[ "${said#* }" -ge 5 ] || fail "summaries: only $said"

# A container is started again: its server has the same pid, and its first packet has higher counts
# than the last one before.
perl -e 'print "XDGRAM1\n"; for ([100, 1, 5], [200, 150, 9], [300, 150, 11]) {
	my $packet = sprintf("<statistics tod=\"%d\" ver=\"v5.5.3\" src=\"h:1\" tos=\"%d\" " .
		"pgm=\"xrootd\" ins=\"a\" pid=\"1\" site=\"S\"><stats id=\"link\"><num>1</num>" .
		"<in>%d</in></stats></statistics>", @$_);
	print pack("Q>C4nnNN", $_->[0] * 1e6, 192, 0, 2, 1, 7, 9931, length $packet, 0), $packet;
}' >"$work/again.packets"
read_all "$work/again.packets" --summaries "$work/summaries"
[ "$(grep -o '"link_in":[0-9]*' "$work/summaries" | tr '\n' ' ')" = '"link_in":9 "link_in":2 ' ] ||
	fail "a process that was started again: $(cat "$work/summaries")"
rm "$work/summaries"

echo 'datagrams, as the shoveler has them'
for capture in "$here"/*.dgram "$here/summary.packets"; do
	read_all "$capture" --shovel "$work/shoveled" --events "$work/came"
	read_all "$work/shoveled" --events "$work/again"
	cmp "$work/came" "$work/again" || fail "${capture##*/}: a message has another time"
	perl "$here/shovel.pl" <"$capture" | sed 's/"version":"[^"]*"//' >"$work/want"
	sed 's/"version":"[^"]*"//; s/,"time":[0-9]*\.[0-9]\{6\}}$/}/' "$work/shoveled" |
		cmp - "$work/want" ||
		fail "datagrams of ${capture##*/}"
	cat "$work/shoveled" >>"$work/all.shovel"
	rm "$work/shoveled" "$work/came" "$work/again"
done

echo 'each field, of the forms of sites'
python3 "$here/fields.py" "$here/fields.tsv" cache="$work/all.cache" copies="$work/all.tpc" \
	connections="$work/all.tcp" summaries="$work/all.summaries" shovel="$work/all.shovel" \
	2>"$work/log" || fail "$(tail -n 1 "$work/log")"
read_all "$here/s2_io_http.dgram" >"$work/direct"
read_all "$here/s2_io_http.dgram" --shovel | ./nodometer-xrootd --messages >"$work/relayed" \
	2>/dev/null
[ "$(wc -l <"$work/direct")" -gt 0 ] || fail 'no transfers'
[ "$(wc -l <"$work/direct")" = "$(wc -l <"$work/relayed")" ] ||
	fail "$(wc -l <"$work/relayed") transfers through messages"

# wrong TEXT OPTION...: nodometer xrootd must refuse the options with a message that matches TEXT
wrong()
{
	text=$1
	shift
	./nodometer-xrootd --read "$work/made.dgram" "$@" >"$work/out" 2>"$work/log"
	[ $? = 2 ] || fail "$* is taken"
	grep -q -- "$text" "$work/log" || fail "$*: $(cat "$work/log")"
}
wrong '--cache has no format nodometer' --cache "$work/x" --format nodometer
wrong '--connections has no format wlcg' --connections "$work/x" --format wlcg
wrong 'cannot be used with --summaries' --summaries "$work/x" --vo cms
wrong '--vo cannot be used with --cache' --cache "$work/x" --vo cms
wrong '--rest cannot be used with --vo and --path: it selects' --transfers "$work/x" --vo cms --rest
wrong 'must follow the --transfers' --vo cms --cache "$work/x"
wrong 'both write to .*/x: use a file for each' --transfers "$work/x" --transfers "$work/x"
many=
for i in $(seq 17); do many="$many --transfers $work/t$i"; done
# shellcheck disable=SC2086 # words
wrong 'too many outputs' $many
exit $failed
