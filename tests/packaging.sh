#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging.sh - programs accept the shipped configuration with every key enabled; completion and
# manual pages list all commands and options
#
# Runs in a build folder.
full=$(mktemp) || exit 99
trap 'rm -f "$full"' EXIT
sed 's/^;//' packaging/nodometer.conf >"$full"
keys=$(grep -c '=' "$full")
[ "$keys" -ge 10 ] || { echo "only $keys keys"; exit 1; }
./nodometer types --schema --config "$full" >/dev/null || exit 1

command -v bash >/dev/null || { echo "skipped: no bash"; exit 77; }
# offered COMMAND WORD: print what bash completion offers for WORD after "nodometer COMMAND"
offered()
{
	bash -c 'complete() { :; }; compopt() { :; }; . packaging/completions/nodometer
		COMP_WORDS=(nodometer "$@") COMP_CWORD=$#; _nodometer; echo " ${COMPREPLY[*]} "
		' bash "$@"
}

# options PROGRAM [COMMAND]: print the options that --help lists
options()
{
	"$@" --help | sed -n 's/^  \(-[a-zA-Z], \|    \)\{0,1\}\(--[a-z-]*\).*/\2/p'
}
# described MACROS PAGE...: print the options on lines of the manual pages that begin with these
# macros
described()
{
	macros=$1
	shift
	sed -n "s/\\\\//g; /^\.$macros /p" "$@" | grep -o ' -[a-z][a-z-]*' | sed 's/^ /-/' | sort -u
}
# page NAME: print the path of a manual page; nodometer-types(1) is in the build folder
page()
{
	for folder in "${srcdir:-.}/man" man; do
		find "$folder" -name "$1.[18]"
	done | head -n 1
}
# agree PROGRAM [COMMAND]: --help and the manual page must list the same options; nodometer(1)
# describes common options
agree()
{
	name=$(echo "$*" | sed 's|^\./||; s/ /-/')
	own=$(page "$name")
	[ -n "$own" ] || { echo "no manual page: $name"; status=1; return; }
	has=$(described ".*Fl" "$own" "$(page nodometer)" | tr '\n' ' ')
	for option in $(options "$@"); do
		case " $has" in *" $option "*) ;; *) echo "not in $own: $option"; status=1 ;; esac
	done
	case $name in
	nodometer-begin) set -- ./nodometer end ;;	# end shares this page and has more options
	nodometer-tcp) return ;;	# its subcommands have their own options
	esac
	has=$({
		options "$@"
		[ "$name" != nodometer-trace ] || options "$@" report
	} | tr '\n' ' ')
	for option in $(described 'It Fl' "$own"); do
		case " $has" in
		*" $option "*) ;;
		*) echo "$own has $option, --help does not"; status=1 ;;
		esac
	done
}

status=0
commands=$(./nodometer --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p') words=$(offered "")
for command in $commands; do
	case $words in *" $command "*) ;; *) echo "not offered: $command"; status=1 ;; esac
	[ "$command" != help ] || continue
	[ "$command" != trace ] || [ -x ./nodometer-trace ] || continue	# built without libfuse3
	agree ./nodometer "$command"
	options=" $(options ./nodometer "$command" | tr '\n' ' ')" offered=$(offered "$command" --)
	for option in $options; do
		case $offered in
		*" $option "*) ;;
		*) echo "not offered: $command $option"; status=1 ;;
		esac
	done
	for option in $offered; do
		case $options in
		*" $option "*) ;;
		*) echo "offered, and not in its help: $command $option"; status=1 ;;
		esac
	done
done

# If an option has a short form, completion in every shell must offer it, too.
awk -F '\t' '$1 == "option" && $3 != "" { print $2 "/" $3 "/" substr($4, 3) }' \
	packaging/completions/tables | while IFS=/ read -r command letter word; do
	grep -q "__nodometer_is $command' -l $word -s $letter " \
		packaging/completions/nodometer.fish || echo "fish: no -$letter of $command --$word"
	grep -q "^.*'\*-$letter\[" packaging/completions/_nodometer || echo "zsh: no -$letter"
done >"$full"
[ ! -s "$full" ] || { cat "$full"; status=1; }

# groups: from a --help on standard input, print each command with the number of its group
groups()
{
	awk '/^[A-Za-z].*:$/ { n++ } n && /^  [a-z]/ && $1 != "help" { print n, $1 }' | sort
}
# built: from the output of groups on standard input, print the commands that this build has
built()
{
	while read -r group command; do
		./nodometer "$command" --help 2>&1 | grep -q 'is not built: configured' ||
			echo "$group $command"
	done
}
./nodometer --help | sed '1,/^Commands/d' | groups >"$full"
n_groups=4
[ -x nodometer-xrootd ] || n_groups=3
[ "$(cut -d ' ' -f 1 "$full" | uniq | wc -l)" = $n_groups ] || { cat "$full"; status=1; }
sed -n '/^For .*:$/p; s/^\.It Cm \([a-z-]*\).*/  \1/p' \
	"$(page nodometer)" | groups | built | diff "$full" - ||
	{ echo 'nodometer(1) has other groups of commands than --help'; status=1; }

for program in nodometer nodometerd nodometer-answer nodometer-fetch nodometer-remote \
	nodometer-send nodometer-tidy
do
	[ ! -x "./$program" ] || agree "./$program"
done

exit $status
