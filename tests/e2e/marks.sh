#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# marks.sh - the commands begin, end and mark with a running agent
. "$(dirname "$0")/lib.sh"

start_agent

# When "begin" returns, its mark is already in the file.
expect 0 nodometer begin 101
is "marks after begin" "$(marks)" "%begin 101"
is "jobs of the group" "$(last_jobs)" 101
expect 0 nodometer mark half of the work
is "marks after mark" "$(marks | tail -n 1)" "%half of the work"
is "jobs of the group" "$(last_jobs)" 101

# While two jobs run, each record group belongs to both, also the record group with the end mark of
# one of them.
expect 0 nodometer begin 102.batch
is "jobs of the group" "$(last_jobs)" 101,102.batch
expect 0 nodometer collect
is "jobs of the group" "$(last_jobs)" 101,102.batch
expect 0 nodometer end 101
is "marks after end" "$(marks | tail -n 1)" "%end 101"
is "jobs of the end mark" "$(last_jobs)" 101,102.batch
expect 0 nodometer collect
is "jobs after the end" "$(last_jobs)" 102.batch

# A second begin of the same job takes a sample without a mark.
n=$(groups | wc -l)
expect 0 nodometer begin 102.batch
expect 0 nodometer begin --strict 102.batch
is "groups" "$(groups | wc -l)" $((n + 2))
is "begin marks of one job" "$(count '^%begin 102.batch$')" 1

# An end without a begin is normal.
expect 0 nodometer end --strict 999
is "mark of an end without begin" "$(marks | tail -n 1)" "%end 999"
is "jobs of its group" "$(last_jobs)" 102.batch,999
expect 0 nodometer end 102.batch
expect 0 nodometer collect
is "jobs when all have ended" "$(last_jobs)" -

# An invalid id is reported, fails only with --strict, and nothing is written.
n=$(groups | wc -l)
long=$(printf '%0200d' 7)
for id in '' ' ' 'a b' 'a,b' ',' - '%begin' "$long"; do
	expect 0 nodometer begin "$id" 2>"$scratch/err"
	grep -q 'invalid job id' "$scratch/err" || fail "begin \"$id\": $(cat "$scratch/err")"
	expect 1 nodometer begin --strict "$id" 2>/dev/null
	expect 1 nodometer end "$id" --strict 2>/dev/null
done
is "groups after bad ids" "$(groups | wc -l)" "$n"
expect 0 nodometer begin "$(printf '%0127d' 7)"
is "longest id" "$(last_jobs)" "$(printf '%0127d' 7)"
expect 0 nodometer end "$(printf '%0127d' 7)"

# A hook with a wrong command line does not harm a job.
expect 0 nodometer begin 2>/dev/null
expect 0 nodometer begin a b 2>/dev/null
expect 0 nodometer end --frobnicate 1 2>/dev/null
expect 2 nodometer begin --strict 2>/dev/null
expect 2 nodometer end --strict a b 2>/dev/null
expect 2 nodometer begin --strict --timeout never 1 2>/dev/null
expect 2 nodometer mark 2>/dev/null
expect 0 "$bin/nodometer" begin --config "$scratch/none" 1 2>/dev/null
expect 2 "$bin/nodometer" begin --strict --config "$scratch/none" 1 2>/dev/null

# A line break in the text of a mark cannot forge a line of the file.
n=$(groups | wc -l)
expect 0 nodometer mark "a
cpu 0 1 2 3"
is "mark with a newline" "$(marks | tail -n 1)" "%a?cpu 0 1 2 3"
is "groups" "$(groups | wc -l)" $((n + 1))

whole_archive
stop_agent
whole_archive
