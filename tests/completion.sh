#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# completion.sh - completion in bash, zsh and fish offers the options and words that --help of the
# programs lists
#
# Runs in a build folder, with the real shells. A shell that is not installed is left out; without
# any shell, the test is skipped.
srcdir=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
made=$PWD/packaging/completions tab=$(printf '\t')
status=0 ran=''

# offered SHELL LINE: print what SHELL offers as the last word of LINE, one word per line
offered()
{
	case $1 in
	bash)
		bash -c 'compopt() { :; }; . "$1"; shift
			read -ra COMP_WORDS <<<"$1"; [[ $1 != *" " ]] || COMP_WORDS+=("")
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_nodometer; printf "%s\n" "${COMPREPLY[@]}"' bash "$made/nodometer" "$2"
		;;
	zsh) timeout 60 zsh -f "$srcdir/tests/completion.zsh" "$2" "$made" | tr ' ' '\n' ;;
	fish)
		HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
			"$made/nodometer.fish" "$2" | cut -f 1
		;;
	esac
}

# offers SHELL LINE WORD...: SHELL must offer exactly these words, in any order, as the last word of
# LINE
offers()
{
	shell=$1 line=$2
	shift 2
	offered "$shell" "$line" | grep . | sort -u >"$work/got"
	printf '%s\n' "$@" | sort -u | diff - "$work/got" >"$work/diff" ||
		{ echo "$shell, \"$line\":"; cat "$work/diff"; status=1; }
}

# long SHELL COMMAND: SHELL must offer all long options that --help of COMMAND lists
long()
{
	# shellcheck disable=SC2046,SC2086 # lists of words
	offers "$1" "nodometer $2 --" $(./nodometer $2 --help |
		sed -n 's/^  \(-[a-zA-Z], \|    \)\{0,1\}\(--[a-z-]*\).*/\2/p')
}

for shell in bash zsh fish; do
	command -v "$shell" >/dev/null || { echo "left out: $shell is not installed"; continue; }
	ran=yes
	# shellcheck disable=SC2046
	offers "$shell" 'nodometer ' $(./nodometer --help | sed '1,/^Commands/d' |
		sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
	for command in report jobs status begin 'tcp record'; do
		case $command in tcp*) [ -x nodometer-tcp ] || continue ;; esac
		long "$shell" "$command"
	done
	offers "$shell" 'nodometer rep' report
	# shellcheck disable=SC2046
	offers "$shell" 'nodometer cat --to ' raw csv jsonl clustercockpit influx openmetrics otlp \
		prometheus records remote-write $([ ! -x nodometer-monitor ] || echo monitor)
	offers "$shell" 'nodometer jobs --sort ' start length nodes user job unused
	offers "$shell" 'nodometer counters ' acquire release yield
	offers "$shell" 'nodometer install-hooks ' slurm pbs torque gridengine lsf htcondor flux
	# shellcheck disable=SC2046
	offers "$shell" 'nodometer collect ' $(sed -n "s/^type$tab//p" "$made/tables")
done
# The value of a short option is completed like the value of its long form.
if command -v bash >/dev/null; then
	mkdir -p "$work/there/records"
	for option in -o --dir; do
		(cd "$work/there" && offers bash "nodometer run $option " records; exit $status) ||
			status=1
	done
fi
[ -n "$ran" ] || { echo 'skipped: no bash, zsh or fish'; exit 77; }
exit $status
