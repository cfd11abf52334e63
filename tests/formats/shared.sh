#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shared.sh - real files of 2013, 2014 and 2026 are read without a defect, and their values have the
# right sums
set -eu
data=${NODOMETER_SHARED:-${srcdir:-.}/../shared}/data/raw
if [ ! -d "$data" ]; then
	echo "skipped: no real files in $data"
	exit 77
fi
failed=0

for f in "$data"/*/*/[0-9]*; do
	./nodometer-check "$f" || failed=1

	# Compare number and sum of all values, as awk finds them in the file and in the CSV that
	# nodometer prints.
	case $f in
	# the file has tagged rows, which the awk program below does not read
	*synthetic-*) continue ;;
	esac
	want=$(awk '/^[a-z]/ { rows++; for (i = 3; i <= NF; i++) { n++; s += $i % 1000 } }
		END { printf "%d %d", n, s }' "$f")
	got=$(./nodometer-cat --csv "$f" | awk -F, 'NR > 1 { n++; s += $NF % 1000 }
		END { printf "%d %d", n, s }')
	if [ "$want" != "$got" ]; then
		echo "$f: values and sum are $got, not $want"
		failed=1
	fi
done

# A piece of a file that lacks the header is not accepted as a file of records.
for f in "$data"/synthetic-3.0/goldens/fast "$data"/synthetic-3.0/goldens/full; do
	if [ -f "$f" ] && ./nodometer-check "$f"; then
		failed=1
	fi
done
exit $failed
