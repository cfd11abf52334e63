#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# xrootd.sh - measure f-stream records per CPU second, and the memory that open files take
#
# Runs in the build folder, as part of `make bench`. CLOSED: number of files that are opened and
# closed; OPEN: number of files that are open at once, each with its own user.
set -u
closed=${CLOSED:-100000} open=${OPEN:-1000000} need=${NEED:-1024}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
bench=tests/bench/xrootd

"$bench" make "$closed" >"$tmp/closed"
read -r records speed < <("$bench" decode "$tmp/closed")
read -r us _ < <("$bench" run ./nodometer-xrootd --read "$tmp/closed" 2>"$tmp/log")
printf '\n%-44s %12s\n' 'f-stream' 'records/CPU s'
printf '%-44s %12s\n' 'the decoder alone, best of five' "$speed"
printf '%-44s %12s\n' 'nodometer xrootd --transfers, one JSON each' $((records * 1000000 / us))
rm "$tmp/closed"

"$bench" open "$open" >"$tmp/open"
printf '\n%-44s %12s %12s\n' "$open open files, each its own user" 'peak RSS MB' 'forgotten'
for memory in 256 "$need"; do
	read -r _ rss < <("$bench" run ./nodometer-xrootd --memory "$memory" --read "$tmp/open" \
		2>"$tmp/log")
	printf '%-44s %12s %12s\n' "--memory $memory" "$rss" \
		"$(sed -n 's/.* \([0-9]*\) users and files forgotten.*/\1/p' "$tmp/log")"
done
