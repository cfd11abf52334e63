#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# inside.sh - run the commands in /share/commands, and report how many do what the pages say
#
# A line of "outcomes" is PATTERN => CHECK or PATTERN => CHECK => AROUND. A command is checked by
# the CHECK of the first shell pattern that matches its lines, joined by blanks. AROUND is "in
# FOLDER", "before FUNCTION", or, for a command that runs until it is ended, "stays FUNCTION":
# FUNCTION gives it work. "ahead FUNCTION" is for the one command that takes a minute: it starts
# before all others, and its end is awaited at its place in the list.
set -u
unset JOURNAL_STREAM NOTIFY_SOCKET
share=${share:-/share}
# shellcheck source=../words.sh
. "$share/words.sh"
# shellcheck source=world.sh
. "$share/world.sh"

# The following functions are checks of $out, the output of the command, or of a file.
says() { grep -Eq -- "$1" "${2:-$out}" || problem "does not say $1"; }
prints_nothing() { [ ! -s "$out" ] || problem 'prints something'; }
json() { jq -es 'length > 0' "${1:-$out}" >/dev/null || problem 'is no JSON'; }
png() { head -c 8 "$1" | cmp -s - <(printf '\x89PNG\r\n\x1a\n') || problem "$1 is no PNG"; }
svg() { grep -q '^</svg>' "$1" || problem "$1 is no SVG"; }
exists() { [ -s "$1" ] || problem "there is no $1"; }
# exits STATUS: the command must have exited with STATUS, which then counts as no error
exits()
{
	[ "$status" = "$1" ] || return
	problems=''
}
# csv [FILE]: the text must have a line of column names, and other lines with as many fields
csv()
{
	awk -F, '{ gsub(/"[^"]*"/, ""); n[NF] }
		END { exit !(NR > 1 && length(n) == 1 && NF > 1) }' "${1:-$out}" ||
		problem 'is no CSV'
}
# lasts SECONDS: the command that was started ahead must have taken SECONDS to 2 * SECONDS
lasts()
{
	took=$(($(stat -c %Y "$out") - started))
	[ $took -ge "$1" ] && [ $took -lt $(($1 * 2)) ] || problem "took $took s"
}
# notes RE: remove messages that match RE from $err; they are no errors
notes() { grep -Ev -- "$1" "$err" >"$err.rest"; mv "$err.rest" "$err"; }

problem() { problems="$problems; $*"; }

# row_of FILE TEXT: find the first line of FILE whose pattern matches TEXT, set $row to the text
# after the pattern, and note that the line was used
row_of()
{
	number=0
	while IFS= read -r row; do
		number=$((number + 1))
		case $row in '' | '#'*) continue ;; esac
		# shellcheck disable=SC2254 # it is a pattern
		case $2 in
		${row%% => *})
			row=${row#* => }
			echo $number >>"$1.used"
			return 0
			;;
		esac
	done <"$1"
	return 1
}

# unused FILE: print the patterns of FILE that matched no command
unused()
{
	sort -u "$1.used" | awk 'NR == FNR { used[$1]; next }
		/^[^#]/ && !(FNR in used)' - "$1" | while read -r line; do
		echo "FAIL: ${1##*/}: no command is ${line%% => *}"
	done
}

# text_of FILE: print the lines of a command joined by blanks
text_of() { tr -s '\n\t ' ' ' <"$1" | sed 's/ $//'; }

# start_ahead: start the command that "outcomes" marks with "ahead"
start_ahead()
{
	for file in "$share"/commands/*/[0-9]*; do
		row_of "$share/outcomes" "$(text_of "$file")" || continue
		case $row in *' => ahead '*) ;; *) continue ;; esac
		started=$(date +%s)
		{
			timeout -k 5 900 bash -c "$(cat "$file")" \
				>"$out.ahead" 2>"$err.ahead" </dev/null
			status=$?
			touch "$out.ahead"
			exit $status
		} &
		ahead=$!
		${row##* => ahead } || fail "${row##* => }"
	done
	: >"$share/outcomes.used"
}

# run COMMAND AROUND: run COMMAND in a shell, with the preparations AROUND, and set $status
run()
{
	case $2 in
	stays\ *)
		timeout -k 5 60 bash -c "$1" >"$out" 2>"$err" </dev/null &
		pid=$!
		${2#stays } || problem "$2"
		kill "$pid" 2>/dev/null
		wait "$pid"
		status=$?
		case $1 in *\|*) [ $status != 143 ] || status=0 ;; esac	# a pipe's shell was ended
		;;
	ahead\ *)
		wait "$ahead"
		status=$?
		mv "$out.ahead" "$out" && mv "$err.ahead" "$err"
		;;
	*)
		[ "${2#before }" = "$2" ] || ${2#before } || problem "$2"
		(
			[ "${2#in }" = "$2" ] || cd "${2#in }" || exit
			exec timeout -k 5 1200 bash -c "$1" >"$out" 2>"$err" </dev/null
		)
		status=$?
		;;
	esac
}

# one FILE PAGE: run and check the command in FILE, which is from the manual page PAGE
one()
{
	command=$(cat "$1") counts=1
	text=$(text_of "$1")
	if row_of "$share/left_out" "$text"; then
		printf '%s\t%s\n' "${row%% => *}" "$text" >>"$share/reasons"
		[ "${row#* => }" != "$row" ] || return
		command=$(sed "${row#* => }" "$1") counts=0
	fi
	all=$((all + counts))
	if grep -Fxq -- "$command" "$share/done"; then
		good=$((good + 1))
		return
	fi
	problems='' check='' around=''
	if row_of "$share/outcomes" "$text"; then
		check=${row%% => *} around=${row#"$check"}
		run "$command" "${around# => }"
		[ $status = 0 ] || problem "status $status"
		eval "$check"
		[ ! -s "$err" ] || problem 'complains'
	else
		problem 'nothing tells what it must do'
	fi
	[ -n "$problems" ] || { good=$((good + counts)); return; }
	fail "$2: $command"
	echo "  ${problems#; }"
	head -n "${lines:-20}" "$out" | sed 's/^/  > /'
	head -n "${lines:-20}" "$err" | sed 's/^/  ! /'
}

all=0 good=0 out=/tmp/out err=/tmp/err
: >"$share/outcomes.used" && : >"$share/left_out.used" && : >"$share/reasons"
mkdir -p /root/work && cd /root/work || die 'no place'
world || die 'no world to run the commands in'
start_ahead
for display in "$share"/commands/*; do
	page=$(cat "$display/page")
	for n in $(find "$display" -name '[0-9]*' -type f -printf '%f\n' | sort -n); do
		one "$display/$n" "$page"
	done
done
{ unused "$share/outcomes"; unused "$share/left_out"; } >/tmp/unused
cat /tmp/unused
sort "$share/reasons" | awk -F '\t' '$1 != last { print "left out: " $1; last = $1 }
	{ print "  " substr($2, 1, 90) }'
echo "$(. /etc/os-release && echo "$PRETTY_NAME"): $good of $all commands do what the page says"
[ $failures = 0 ] && [ ! -s /tmp/unused ]
