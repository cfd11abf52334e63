#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# globals.sh - the front end accepts --root, --config and --dir for each command that lists them
. "$(dirname "$0")/lib.sh"

front=$scratch/front
mkdir -p "$front" "$scratch/tree/proc" "$scratch/other"
cp "$bin/nodometer" "$bin/nodometer-commands" "$front/" || fail "no copy of the front end"
all='root config dir'

# The configuration names a third archive.
# value OPTION: print the value that this test gives the option
sed 's|^dir = .*|dir = /configured|' "$conf" >"$scratch/configured.conf"
value() {
	case $1 in
	root) echo "$scratch/tree" ;;
	config) echo "$scratch/configured.conf" ;;
	dir) echo "$scratch/other" ;;
	esac
}

# has OPTION HELP: succeed if the help text has the option
has() { echo "$2" | grep -qE "^ *(-[a-z], )?--$1 "; }

# refuses WORD...: "nodometer WORD..." must fail, with the message that $option has no effect on
# $command
refuses() {
	expect 2 "$front/nodometer" "$@" 2>"$scratch/given"
	grep -q "^nodometer $command: --$option has no effect on this command\$" "$scratch/given" ||
		fail "$*: $(cat "$scratch/given")"
}

# starts WORD...: "nodometer WORD..." must pass $option and its value $v to the program $want times,
# wherever the option is among the words; other words are passed unchanged
starts() {
	"$front/nodometer" "$@" >"$scratch/given" || fail "$*: status $?"
	options=0 values=0 rest=
	while IFS= read -r word; do
		case $word in
		"--$option") options=$((options + 1)) ;;
		"$v") values=$((values + 1)) ;;
		*) rest="$rest$word " ;;
		esac
	done <"$scratch/given"
	is "$*: --$option" "$options" "$want"
	is "$*: its value" "$values" "$want"
	case $rest in
	*'a word -- --dir=mine ' | *'-- a word --dir=mine ') ;;
	*) fail "$*: the rest is \"$rest\"" ;;
	esac
}

programs=0 built_in=''
for command in $("$NODOMETER" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
	case $command in
	help) continue ;;
	gather | install-hooks) program= ;;	# scripts; the front end handles their options
	*) program=$bin/nodometer-$command ;;
	esac
	if [ -n "$program" ] && [ ! -x "$program" ] &&
		"$NODOMETER" "$command" --help 2>/dev/null | grep -q '^  --config '; then
		built_in="$built_in $command"
		continue
	fi
	[ -z "$program" ] || [ -x "$program" ] || { echo "not built: $command"; continue; }
	programs=$((programs + 1))
	help=$(${program:-"$NODOMETER" "$command"} --help)
	printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >"$front/nodometer-$command"
	chmod +x "$front/nodometer-$command"
	for option in $all; do
		v=$(value "$option") want=0
		! has "$option" "$help" || want=1	# the command's --help lists the option
		check=starts
		[ $want = 1 ] || [ "$option" = config ] || check=refuses
		$check --"$option" "$v" "$command" 'a word' -- --dir=mine
		$check --"$option=$v" "$command" 'a word' -- --dir=mine
		if [ "$command" = run ]; then	# the words that follow belong to another program
			"$front/nodometer" run --"$option" "$v" x >"$scratch/given"
			is "run: its words" "$(tr '\n' ' ' <"$scratch/given")" "--$option $v x "
			continue
		fi
		$check "$command" --"$option" "$v" 'a word' -- --dir=mine
		$check "$command" --"$option=$v" 'a word' -- --dir=mine
	done
done
[ $programs -ge 12 ] || fail "only $programs programs"
# shellcheck disable=SC2086 # a list of words
is "built-in commands" "$(printf '%s\n' $built_in | sort | paste -sd ' ')" \
	"begin collect config counters end events mark peak rotate status"

# These commands use the archive of the configuration, unless --dir names another archive.
for command in compare fleet gather jobs nodes plot report site; do
	"$front/nodometer" "$command" --config "$scratch/configured.conf" >"$scratch/given"
	end=''
	[ $command != gather ] || end='-- '
	is "$command" "$(tr '\n' ' ' <"$scratch/given")" "--dir /configured $end"
done
"$front/nodometer" --config "$scratch/configured.conf" cat FILE >"$scratch/given"
is "cat" "$(cat "$scratch/given")" FILE
expect 2 "$front/nodometer" commands 2>"$scratch/given"
grep -q '^nodometer: unknown command "commands"' "$scratch/given" ||
	fail "its own program: $(cat "$scratch/given")"

# words COMMAND: print the operands that COMMAND requires. Built-in commands must report a missing
# file of --config, whether the option comes before or after these operands.
words() {
	case $1 in
	begin | end) echo 1201 ;;
	mark) echo text ;;
	config) echo check ;;
	counters) echo yield ;;
	esac
}
for command in $built_in; do
	# this command reads no configuration, because it helps to write one
	[ "$command" != events ] || continue
	# shellcheck disable=SC2046 # no operand has a blank
	for at in before after; do
		case $at in
		before) "$NODOMETER" --config "$scratch/none" "$command" $(words "$command") ;;
		after) "$NODOMETER" "$command" --config "$scratch/none" $(words "$command") ;;
		esac >"$scratch/out" 2>&1
		grep -qF "$scratch/none" "$scratch/out" ||
			fail "$command, $at: $(head -n 3 "$scratch/out")"
	done
done
