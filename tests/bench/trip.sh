#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trip.sh - count the modules that a record passes through, and the returns to modules
#
# A room is a module, FOLDER/NAME, of collectors/, recorder/, formats/ or archive/. Three folders
# are not counted: base/ and schema/, which all modules use, and figures/, which sums up job
# summaries. A step is a call from one room into another, or the return from the call. The first
# step into a room enters the room; every later step into it is a return. Callgrind counts the calls
# of four rounds and of five, in the agent's process and in its writer; the difference is one round
# in the steady state. TRIP_CALLS=1 lists the calls. Run this script in a build folder.
set -eu
make tests/bench/sample >/dev/null
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# count ROUNDS FUNCTION OPTIONS...: count calls inside FUNCTION and, in the writer, in store_put()
count()
{
	rounds=$1 function=$2
	shift 2
	rm -rf "$tmp/archive"
	mkdir "$tmp/archive"
	valgrind --quiet --tool=callgrind --compress-strings=no --compress-pos=no \
		--toggle-collect="$function" --toggle-collect=store_put \
		--callgrind-out-file="$tmp/$rounds.%p" \
		tests/bench/sample "$@" -n "$rounds" -o "$tmp/archive" cpu >/dev/null
}

# calls ROUNDS: print the counted calls between rooms as lines "FROM TO N"
calls()
{
	cat "$tmp/$1".* | awk '
	function module(path) {
		if (!match(path, /(collectors|recorder|formats|archive)\/[a-z_\/]+\.[ch]$/))
			return ""
		return substr(path, RSTART, RLENGTH - 2)
	}
	/^fl=/    { from = to = module(substr($0, 4)) }
	/^cf[il]=/ { to = module(substr($0, 5)) }
	/^calls=/ {
		if (from && to && to != from)
			n[from " " to] += substr($1, 7)
		to = from
	}
	END { for (c in n) print c, n[c] }'
}

# trip NAME RECORDS FUNCTION OPTIONS...: print the trip of a record; each round makes RECORDS
# records
trip()
{
	name=$1 records=$2
	shift 2
	rm -f "$tmp"/[45].*
	count 4 "$@"
	count 5 "$@"
	{ calls 4 | sed 's/$/ less/'; calls 5; } | awk -v name="$name" -v records="$records" '
	{ n[$1 " " $2] += $4 ? -$3 : $3 }
	END {
		for (c in n) {
			if (n[c] <= 0)
				continue
			if (ENVIRON["TRIP_CALLS"])
				print "  " c, n[c]
			split(c, room, " ")
			rooms += !seen[room[1]]++ + !seen[room[2]]++
			calls += n[c]
		}
		printf "%s: enters %d rooms, returns %d times\n", name, rooms,
			2 * calls / records - (rooms - 1)
	}'
}

trip 'a sample' 1 recorder_sample -a
trip 'the begin or end of a job' 2 recorder_requests -a -j
