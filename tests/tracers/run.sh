#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer xrootd decodes captured datagrams in the same way as an independent decoder
#
# An argument names another folder of captures. All transfers and all single events must be the
# same.
here=${srcdir:-.}/tests/tracers
data=${1:-$here}
command -v jq >/dev/null || { echo 'SKIP: jq is not installed'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

in_words()	# KIND
{
	jq -cS --slurpfile printed "$work/printed" --slurpfile infos "$work/infos" \
		-f "$here/$1.jq" | sort
}

# same KIND FILE: nodometer xrootd --KIND must print the lines of the reference FILE for its capture
same()
{
	capture=${2%.*.jsonl}.dgram
	./nodometer-xrootd --read "$capture" "--$1" >"$work/printed" 2>"$work/log" ||
		{ echo "FAIL: $capture --$1"; cat "$work/log"; failed=1; return; }
	jq -c 'select(.code == "i")' "${2%.*.jsonl}.decoded.jsonl" >"$work/infos"
	in_words "$1" <"$2" >"$work/want"
	in_words "$1" <"$work/printed" >"$work/got"
	lines=$(wc -l <"$work/want")
	total=$((total + lines))
	if [ "$lines" -gt 0 ] && cmp -s "$work/want" "$work/got"; then
		echo "$1 of ${capture##*/}: $lines are the same"
		return
	fi
	echo "FAIL: $1 of ${capture##*/}"
	diff "$work/want" "$work/got" | head -n 20
	failed=1
}

total=0
for reference in "$data"/*.transfers.jsonl; do
	same transfers "$reference"
done
for reference in "$data"/*.decoded.jsonl; do
	case $reference in
	*/summary.*) ;;	# this capture has no detailed monitoring
	*) same events "$reference" ;;
	esac
done
[ "$total" -gt 500 ] || { echo "FAIL: only $total were compared"; failed=1; }

# Each estimated time of an event is within its window, and the times keep the order of the events.
for capture in "$data"/*.dgram; do
	./nodometer-xrootd --read "$capture" --events 2>/dev/null |
		jq -c 'select(.hdr.start > .hdr.time or .hdr.time > .hdr.end)' | grep . &&
		{ echo "FAIL: ${capture##*/}: an event is outside its window"; failed=1; }
done

# The sums in the records of each server equal the sums over all transfers and over all events.
sums()
{
	jq -cs --arg of "$1" -f "$here/raw.jq" | sort
}
for capture in "$data"/*.dgram; do
	case $capture in
	*/summary.*) continue ;;	# this capture has no detailed monitoring
	esac
	for mode in transfers events raw; do
		./nodometer-xrootd --read "$capture" --$mode >"$work/$mode" 2>/dev/null
	done
	./nodometer-check "$work/raw" >"$work/log" ||
		{ echo "FAIL: check of ${capture##*/}"; cat "$work/log"; failed=1; }
	{ sums transfers <"$work/transfers"; sums events <"$work/events"; } | sort >"$work/want"
	./nodometer-cat "$work/raw" | sums records >"$work/got"
	if [ -s "$work/want" ] && diff "$work/want" "$work/got"; then
		echo "raw of ${capture##*/}: $(wc -l <"$work/want") sums are the same"
	elif [ -s "$work/want" ] || [ -s "$work/got" ]; then
		echo "FAIL: raw of ${capture##*/}"
		failed=1
	fi
done

# The manual page names every type and key, except keys of summary packets, for which it refers to
# "nodometer mpxstats --keys".
sed -n '/^!xrd_\([^ghs]\|sched\|space\|sgen\)/!s/^!//p' "$work/raw" |
	tr ' ' '\n' | sed 's/,.*//' | sort -u >"$work/keys"
./nodometer-mpxstats --keys | awk '{ k = $1; gsub(/\./, "_", k); print k }' >"$work/documented"
sed -n 's/^!xrd_//p' "$work/raw" | while read -r type keys; do
	case $type in http_* | g_* | set) continue ;; esac	# each key is a device
	block=$(echo "$type" | sed 's/^ops$/xrootd/; s/^path$/oss_paths_i/; s/^space$/oss_space_i/
		s/^cmsm_node$/cmsm_node_i/')
	for key in $keys; do
		key=${block}_${key%%,*}
		[ "$type" != proc ] || key=${key}_s
		grep -qx "$key" "$work/documented" || echo "FAIL: $key is not in --keys"
	done
done >"$work/log"
[ ! -s "$work/log" ] || { cat "$work/log"; failed=1; }
[ "$(wc -l <"$work/keys")" -gt 35 ] || { echo 'FAIL: few keys'; failed=1; }
while read -r key; do
	grep -q "^\.\(It \)\{0,1\}Cm .*\b$key\b" "${srcdir:-.}/man/nodometer-xrootd-records.5" &&
		continue
	[ "$key" = stalls ] && continue		# only the agent has this key
	echo "FAIL: $key is not in the manual"
	failed=1
done <"$work/keys"

# If a capture is truncated, everything before this place is reported, and a message says so.
head -c 3000 "$here/s2_io_http.dgram" >"$work/cut"
if ./nodometer-xrootd --read "$work/cut" >/dev/null 2>"$work/log" ||
	! grep -q 'truncated' "$work/log"; then
	echo 'FAIL: a capture that is cut off'
	failed=1
fi

# A file that is no capture has nothing to count.
for file in "$work/nothing" "$here/run.sh"; do
	if ./nodometer-xrootd --read "$file" >"$work/printed" 2>"$work/log" ||
		[ -s "$work/printed" ] || [ "$(wc -l <"$work/log")" != 1 ]; then
		echo "FAIL: of $file it says: $(cat "$work/log")"
		failed=1
	fi
done
exit $failed
