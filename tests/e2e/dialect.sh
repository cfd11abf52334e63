#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dialect.sh - with dialect 2.3, the third word of a time line is the host; with 1.0, times are
# whole seconds. Both parsers read both dialects.
. "$(dirname "$0")/lib.sh"

write_config 'dialect = 2.3'
start_agent
expect 0 nodometer begin 1001
expect 0 nodometer end 1001
stop_agent
is "first line" "$(raw_text | head -n 1)" '$hpcperfstats 2.3.5'
is "groups without a third word" "$(groups | grep -vc " $host\$")" 0
is "words" "$(groups | awk '{ print NF }' | sort -u)" 3
host_column=1
whole_archive
host_column=0
"$bin/nodometer-cat" --job 1001 "$archive/$host/current" >"$scratch/json" || fail "cat"
grep -q "\"host\":\"$host\",\"jobs\":\[\"1001\"\]" "$scratch/json" || fail "host and job in JSON"

# A change of the dialect starts a new file, since a file has only one dialect.
write_config 'dialect = 1.0'
expect 0 nodometer collect
is "files" "$(raw_files | wc -l)" 2
is "first line" "$(head -n 1 "$archive/$host/current")" '$hpcperfstats 1.0.2'
is "words" "$(last_group | awk '{ print NF }')" 2
whole "$archive/$host/current"
expect 0 nodometer report 1001 >/dev/null

# In dialect 1.0, two record groups may have the same time. No program must report that the clock
# was set because of this.
rm -r "$archive"
write_config 'dialect = 1.0' 'interval = 300ms' 'live-interval = 100ms' 'live-types = vm'
start_agent
expect 0 nodometer begin 1002
sleep 3
expect 0 nodometer end 1002
stop_agent
is "times with decimals" "$(groups | grep -c '^[0-9]*\.')" 0
[ "$(groups | wc -l)" -ge 8 ] || fail "$(groups | wc -l) groups"
[ "$(groups | cut -d ' ' -f 1 | uniq -d | wc -l)" -ge 1 ] || fail 'no second has two groups'
grep -qE '^[0-9]+\.[0-9]+ ' "$runtime/live/$host/current" || fail 'the live tier has no decimals'
whole_archive
expect 0 nodometer report 1002 >"$scratch/page"
grep -E 'clock|set back' "$scratch/page" && fail 'the clock was set'
"$bin/nodometer-cat" --rates --type vm "$archive/$host/current" >"$scratch/json" || fail "--rates"
grep -E 'inf|nan|null' "$scratch/json" && fail 'a rate over no time'

# The default dialect has decimals.
write_config
expect 0 nodometer collect
last_group | grep -qE '^[0-9]+\.[0-9]+ ' || fail "no decimals: $(last_group)"
