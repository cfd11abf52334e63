#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dialect.sh - dialect = 2.3: the host is the third word, and both parsers take it
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

# A change of dialect begins a new file: a file has one of them.
write_config 'dialect = 1.0'
expect 0 nodometer collect
is "files" "$(raw_files | wc -l)" 2
is "first line" "$(head -n 1 "$archive/$host/current")" '$hpcperfstats 1.0.2'
is "words" "$(last_group | awk '{ print NF }')" 2
whole "$archive/$host/current"
expect 0 nodometer report 1001 >/dev/null
