#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# front_words.sh - nodometer and nodometer-commands say the same about each command line of a hook
. "$(dirname "$0")/lib.sh"
start_agent

# Both programs have the same exit status and print the same, except for numbers.
many=$(printf -- '--attr k%s=v ' $(seq 70))
long=$(printf '%0600d' 7)
while read -r words; do
	i=0
	for program in nodometer nodometer-commands; do
		i=$((i + 1))
		for job in 3 4 -3; do
			nodometer end -- $job 2>/dev/null
		done
		# shellcheck disable=SC2086 # words
		"$bin/$program" --config "$conf" $words >"$scratch/said" 2>&1
		{ echo "status $?"; sed 's/[0-9.]*[0-9]/N/g' "$scratch/said"; } >"$scratch/said$i"
	done
	cmp "$scratch/said1" "$scratch/said2" ||
		fail "$words: $(cat "$scratch/said1" "$scratch/said2")"
done <<END
begin
begin 3
begin 3 4
begin --strict 3
begin --strict a,b
begin --strict=1 3
begin --str 3
begin --strict --timeout 0 3
begin --strict --timeout=5 3
begin --timeout
begin --attr
begin --strict --attr KEY=1 3
begin --strict --attr
begin --strict --attr user=$long 3
begin --strict $many 3
begin --frobnicate 3
begin --help
begin -- -3
begin -
--strict begin 3
end --strict 3
end --strict 3
end --summary 4
end --attr exit=1 --attr exit=2 4
end --root / 3
mark
mark one
help
frobnicate
END
expect 0 env POSIXLY_CORRECT=1 "$bin/nodometer" --config "$conf" begin 5 --strict 2>/dev/null
is "begin of a word after the job" "$(count '^%begin 5$')" 0
stop_agent
