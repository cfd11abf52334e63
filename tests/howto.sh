#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# howto.sh - in a copy of the source, follow doc/howto-*.md word by word, and check what they add
#
# Runs in a build folder. Files that a howto shows are written as it shows them, and words are added
# to the lists that it names. Nothing else in the copy is changed.
set -u
top=$(sed -n 's/^abs_top_srcdir = //p' Makefile)
copy=$PWD/howto
bin=$copy/build
. "$top/tests/integration/words.sh"
trap '[ "$failures" -ne 0 ] || rm -rf "$copy"' EXIT

# block HOWTO N: print the N-th block of code in doc/howto-HOWTO.md
block()
{
	awk -v want="$2" '
		/^```$/ { code = 0 }
		code && n == want
		/^```[a-z]+$/ { code = 1; n++ }' "$top/doc/howto-$1.md"
}

# file HOWTO N PATH: save block N as PATH, a new file that the howto must name
file()
{
	block "$1" "$2" >"$copy/$3"
	grep -q "$3" "$top/doc/howto-$1.md" || fail "howto-$1 does not name $3"
	[ ! -e "$top/$3" ] || fail "howto-$1: $3 exists"
	[ "$(wc -l <"$copy/$3")" -gt 10 ] || fail "howto-$1 does not show $3"
}

# word LIST FILE PATH: add PATH to LIST in FILE, an automake fragment
word()
{
	sed -i "s|^$1 *= |&$3 |" "$copy/$2"
	grep -q "^$1 *= $3 " "$copy/$2" || fail "$2 has no list $1"
}

# after PATTERN FILE: insert standard input in FILE after the line that matches PATTERN
after()
{
	grep -q "$1" "$copy/$2" || fail "nothing in $2 is \"$1\""
	sed -i "/$1/r /dev/stdin" "$copy/$2"
}

rm -rf "$copy"
mkdir -p "$bin"
tar -C "$top" --exclude=.git --exclude=./build --exclude="${copy##*/}" --exclude='*.o' -cf - . |
	tar -C "$copy" -xf - || exit 1

file collector 1 schema/types/swap.c
file collector 2 collectors/swap.c
word TYPES schema/schema.am schema/types/swap.c
word COLLECTORS collectors/collectors.am collectors/swap.c
block figure 1 | after '"MemUsed, peak"' lib/figures/figures.c
sed -i 's|"net_tx", "swapped_in", |"hugepages", &|
	s|^\t{ "Memory in programs" .*},|&\n\t{ "Huge pages" },|' "$copy/lib/figures/usual.c"
file encoding 1 lib/formats/line/graphite.c
word ENCODERS lib/formats/line/line.am lib/formats/line/graphite.c
file source 1 lib/formats/load.c
word RECORD_FORMATS lib/formats/formats.am lib/formats/load.c
file sink 1 delivery/sinks/file.c
word SINKS delivery/sinks/sinks.am delivery/sinks/file.c
file command 1 commands/cli/where.c
word COMMANDS commands/cli/cli.am commands/cli/where.c
block verb 1 | after '^VERB(ROTATE,' agent/verbs.inc
block verb 2 >"$copy/server_tidy"
sed -i "/^static const struct verb {/{
	r $copy/server_tidy
	N
}" "$copy/agent/server.c"
block xrootd-event 1 | after "{ 'H', \"http\"" lib/formats/xrootd/xrd_gline.c
block xrootd-event 2 | after '^bool xrd_g_tcp(' lib/formats/xrootd/xrd_gline.h
block xrootd-event 3 >>"$copy/lib/formats/xrootd/xrd_gline.c"
block xrootd-event 4 | after 'TCP_CONNECTIONS, TCP_IN_BYTES' lib/formats/xrootd/xrd_keys.h
sed -i 's/TYPE_TPC, TYPE_TCP,/& TYPE_TAPE,/' "$copy/lib/formats/xrootd/xrd_keys.h"
block xrootd-event 5 | after '\[TCP_RETRANSMITTED\]' lib/formats/xrootd/xrd_keys.c
block xrootd-event 6 | after '\[TYPE_TCP\]' lib/formats/xrootd/xrd_keys.c
block xrootd-event 7 | after 'struct xrd_g_tcp tcp;' xrootd/sums/sums_add.c

cd "$bin" || exit 1
{ ../configure --enable-werror CFLAGS=-O0 CC="${CC:-gcc}" && make -j2; } >log 2>&1 ||
	{ tail -n 30 log; die 'what the howtos show does not build'; }

# Check the collector that its howto adds: type swap reads a file /proc/swaps with the lines that
# the comment in the collector shows.
case=$copy/tests/collectors/swap/two-areas
mkdir -p "$case/root/proc"
printf '%s\t%s\t%s\t%s\t%s\n' Filename Type Size Used Priority \
	/dev/sda2 partition 8388604 1024 -2 /swap file 100 7 -3 >"$case/root/proc/swaps"
srcdir=.. NODOMETER=./nodometer UPDATE=1 ../tests/collectors/run.sh swap/two-areas >out 2>&1 ||
	fail "$(cat out)"
printf '%s\n' '!swap size,U=KB used,U=KB' 'swap /dev/sda2 8388604 1024' 'swap /swap 100 7' |
	while read -r line; do
		grep -qxF "$line" "$case/expected" || echo "$line"
	done >missing
[ ! -s missing ] || fail "no $(cat missing) in $(cat "$case/expected")"
./nodometer types --all --root "$case/root" | grep -q '^ *swap ' || fail 'swap is not a type'

# Check the figure that its howto adds: test_summary compares the names of figures on the page, in
# the summary and among the panels.
{ make tests/unit/test_summary && ./tests/unit/test_summary; } >out 2>&1 ||
	fail "$(tail -n 5 out)"
work=$copy/build/work
mkdir -p "$work/archive"
conf=$work/conf
cat >"$conf" <<END
[send]
state-dir = $work/state
[sink file]
dir = $work
[agent]
dir = $work/archive
runtime-dir = $work/run
job-file =
free-floor = 0
END
./nodometer begin 7 --strict --config "$conf" 2>err || fail "begin: $(cat err)"
./nodometer collect --config "$conf" || fail 'collect'	# gauges count only within a job
./nodometer end 7 --strict --config "$conf" 2>err || fail "end: $(cat err)"
./nodometer-report 7 --dir "$work/archive" --json >out || fail "no report"
grep -q '"figure":"mem.AnonHugePages"' out || fail 'the figure is not in the report'

# Check the encoding that its howto adds.
./nodometer-cat --monotonic --to graphite "$top/tests/formats/export/a.raw" >out || fail 'no export'
grep -q '^n1_[a-z_]*\.net\.eth0\.rx_bytes [0-9]* 1700000[0-9]*$' out ||
	fail "graphite is: $(head -n 3 out)"

# Check the source that its howto adds.
printf '#load\n1700000000 5\n1700000001.5 7\nx\n' >load
./nodometer-cat load >out 2>err
[ "$(grep -c '"load":[57]}' out)" = 2 ] || fail "cat of a load file: $(cat out)"
grep -q 'SECONDS VALUE' err ||
	fail "cat of a load file: $(cat out err)"

# Check the sink that its howto adds.
./nodometer-send --once --config "$conf" >out 2>&1 || fail "send: $(cat out)"
grep -q '^[0-9]\{16\} [1-9][0-9]*$' "$work/records" || fail "the sink wrote nothing: $(cat out)"
./nodometer-send --help | grep -q '^\[sink file\]  time and number' ||
	fail 'the sink is not in --help'

# Check the command that its howto adds.
[ "$(./nodometer where --config "$conf")" = "$work/archive" ] || fail 'nodometer where'
./nodometer --help | grep -q '^ *where ' || fail 'the command is not in --help'

# Check the event of XRootD that its howto adds: send a datagram of the event's provider in the
# shoveler's format.
event='{"event":"recall","lfn":"/store/a","bytes":1000,"user":"ann"}'
printf '{"remote":"192.0.2.1:1094","data":"%s"}\n' "$({
	printf 'g\0\0%b\145\123\361\0\145\123\361\1\145\123\361\2Z\0\0\0\0\0\0\1' \
		"\\0$(printf %o $((24 + ${#event})))"
	printf %s "$event"
} | base64 -w 0)" >messages
./nodometer-xrootd --messages --events --final --raw "$work/sums" <messages >out 2>err ||
	fail "xrootd: $(cat err)"
grep -q '"type":"tape".*"lfn":"/store/a"' out || fail "no event of type tape: $(cat out err)"
grep -q '^xrootd_tape .* 1 1000$' "$work/sums" ||
	fail "no sum of recalls: $(cat "$work/sums")"

# Check the verb that its howto adds: send the agent a request with this verb.
./nodometerd --foreground --config "$conf" 2>err &
agent=$!
wait_until test -S "$work/run/control" || fail "no agent: $(cat err)"
answer=$(perl "$top/tests/e2e/ask.pl" "$work/run/control" 'tidy 99999999999' | tr -d '\0')
kill $agent && wait $agent
case $answer in
'ok old files are being compressed'*) ;;
*) fail "tidy is answered: $answer" ;;
esac
finish
