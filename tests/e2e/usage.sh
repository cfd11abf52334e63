#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage.sh - options, usage and messages have the same words and layout in all programs
. "$(dirname "$0")/lib.sh"

expect 2 timeout 30 "$bin/nodometerd" --frobnicate 2>/dev/null
expect 2 timeout 30 "$bin/nodometerd" word 2>/dev/null
expect 2 "$bin/nodometer" 2>/dev/null
expect 2 "$bin/nodometer" no-such-command 2>/dev/null
expect 2 "$bin/nodometer" stauts 2>"$scratch/err"
grep -q 'did you mean "status"?' "$scratch/err" || fail "stauts: $(cat "$scratch/err")"
while read -r command wrong meant; do
	expect 2 "$bin/nodometer" "$command" "$wrong" 2>"$scratch/err"
	grep -q -e "$meant" "$scratch/err" || fail "$command $wrong: $(cat "$scratch/err")"
done <<'END'
status --jsn unknown option --jsn; did you mean --json?
status --json=5 --json takes no argument
status --config --config needs an argument
status --frobnicate unknown option --frobnicate$
status -j unknown option -j$
status -jq unknown option -j$
report --hots unknown option --hots; did you mean --host?
END

# All programs print options in the same words and layout, and name their manual page.
for program in nodometer nodometerd nodometer-tidy nodometer-send 'nodometer begin --strict' \
	'nodometer cat' 'nodometer mpxstats' 'nodometer xrootd'; do
	case $program in
	*send | *mpxstats | *xrootd) has "${program##*[- ]}" || continue ;;
	esac
	name=${program% --*}
	# shellcheck disable=SC2086 # two words are two words
	expect 2 "$bin/"$program --versoin 2>"$scratch/err"
	is "$program --versoin" "$(cat "$scratch/err")" \
		"$name: unknown option --versoin; did you mean --version?
Try \"$name --help\"."
	# shellcheck disable=SC2086
	"$bin/"$program --help >"$scratch/out"
	sed -i -n '1s/ \[OPTIONS\].*//p; /^  --version /p; /^More in /s/ in .*//p' "$scratch/out"
	is "$program --help" "$(cat "$scratch/out")" "usage: $name
  --version          print the version and exit
More"
done
expect 2 "$bin/nodometer" collect no-such-type 2>/dev/null

# Every program prints its version and its usage.
version=$("$bin/nodometer" --version)
for program in nodometer nodometerd nodometer-cat nodometer-check nodometer-report nodometer-plot \
	nodometer-tidy nodometer-send nodometer-mpxstats nodometer-xrootd; do
	case $program in
	*send | *mpxstats | *xrootd) has "${program##*-}" || continue ;;
	esac
	program=$bin/$program
	expect 0 "$program" --help >"$scratch/out"
	grep -q '^usage: ' "$scratch/out" || fail "$program --help: $(cat "$scratch/out")"
	expect 0 "$program" --version >"$scratch/out"
	is "$program --version" "$(sed 's/.* //' "$scratch/out")" "${version##* }"
done
for command in begin end mark collect config counters rotate status types cat check jobs \
	report plot mpxstats xrootd; do
	case $command in
	mpxstats | xrootd) has $command || continue ;;
	esac
	expect 0 "$bin/nodometer" $command --help >"$scratch/out"
	grep -q "^usage: nodometer $command" "$scratch/out" || fail "nodometer $command --help"
	expect 0 "$bin/nodometer" $command --version >"$scratch/out"
	PATH="" expect 0 "$bin/nodometer" help $command >"$scratch/out"	# if there is no man
	grep -q "^usage: nodometer $command" "$scratch/out" || fail "nodometer help $command"
done
# A command that has an old name, too, prints its new name in its usage, even if called by the old
# one.
for old in convert:cat export:cat schema:types; do
	expect 0 "$bin/nodometer" ${old%:*} --help >"$scratch/out"
	grep -q "^usage: nodometer ${old#*:} " "$scratch/out" || fail "nodometer ${old%:*} --help"
	PATH="" expect 0 "$bin/nodometer" help ${old%:*} >"$scratch/out"
	grep -q "^usage: nodometer ${old#*:} " "$scratch/out" || fail "nodometer help ${old%:*}"
done
PATH="" expect 2 "$bin/nodometer" help frobnicate 2>"$scratch/out"
grep -q 'unknown command "frobnicate"' "$scratch/out" || fail "help: $(cat "$scratch/out")"
expect 0 "$bin/nodometer" help >"$scratch/out"
expect 0 "$bin/nodometer" types --schema --help-text vm >"$scratch/out"
grep -q '^vm - ' "$scratch/out" && grep -q '^  pgpgin *counter ' "$scratch/out" ||
	fail "types --schema --help-text: $(cat "$scratch/out")"
expect 2 "$bin/nodometer" types --schema nosuch 2>/dev/null
