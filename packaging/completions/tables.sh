#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tables.sh - print the commands of nodometer as rows with tabs, from the --help of each command
#
#   tables.sh FOLDER     use the programs below FOLDER; $RUN, if set, is put before each, such as an
#                        emulator
#
#   command NAME TEXT                    NAME may be two words: "trace report"
#   option NAME LETTER --WORD WHAT TEXT  WHAT: none, any, file, dir, type, or words with blanks
#   operand NAME WHAT
#   type NAME
set -u
folder=$1
tab=$(printf '\t')

# help_of COMMAND...: print the help text of a command, as "nodometer COMMAND --help" does
help_of()
{
	if [ "$1" != gather ] && [ -x "$folder/nodometer-$1" ]; then
		program=$folder/nodometer-$1
		shift
		${RUN-} "$program" "$@" --help
	else	# built in, or a script
		${RUN-} "$folder/nodometer-commands" "$@" --help
	fi
}

# joined: join the wrapped lines of the help text on standard input
joined()
{
	awk '/^                 / { sub(/^ */, " "); printf "%s", $0; next }
		{ printf "%s%s", (NR > 1 ? "\n" : ""), $0 } END { print "" }'
}

# rows NAME: convert the help text of command NAME, on standard input, to rows
rows()
{
	joined | awk -v name="$1" -v OFS="$tab" '
	function what(arg) {
		gsub(/[][]/, "", arg)
		sub(/,?\.\.\.$/, "", arg)
		if (arg ~ /^[a-z][a-z|-]*$/) {
			gsub(/\|/, " ", arg)
			return arg
		}
		return arg == "FILE" || arg == "PATH" ? "file" : arg == "DIR" ? "dir" : \
			arg == "TYPE" ? "type" : "any"
	}
	# in "usage: nodometer NAME [OPTIONS] OPERANDS", a word after an option is its argument
	/^usage: / {
		sub("^usage: nodometer " name " *", "")
		n = split($0, word, / +/)
		for (i = 1; i <= n; i++) {
			if (word[i] ~ /^\[?-/) {
				i += word[i] ~ /\]$/ ? 0 : 1
				continue
			}
			kind = what(word[i])
			operand[++n_operands] = kind == "any" ? word[i] : kind
		}
	}
	/^  (-[a-zA-Z], |    )?--[a-z]/ {
		letter = substr($1, 1, 2) != "--" ? substr($1, 2, 1) : ""
		line = $0
		sub(/^ *(-[a-zA-Z], )?/, "", line)
		option = line
		sub(/[^a-z-].*/, "", option)
		line = substr(line, length(option) + 1)
		kind = "none"
		if (match(line, /^ (\[[^ ]*\]|[A-Z][^ ]*|[a-z|]+) */) &&
		    substr(line, 2, 1) != " ") {
			arg = substr(line, 2, RLENGTH - 1)
			sub(/ *$/, "", arg)
			kind = what(arg)
			line = substr(line, RLENGTH + 1)
		}
		sub(/^ */, "", line)
		option_kind[option] = kind
		n_options++
		order[n_options] = option
		letter_of[option] = letter
		text[option] = line
		arg_of[option] = arg
		arg = ""
	}
	# "FORMAT is one of:" precedes the values of options with the argument FORMAT
	/ is one of:$/ { list_of = $1; next }
	list_of && /^  [a-z]/ {
		words[list_of] = words[list_of] (words[list_of] ? " " : "") $1
		next
	}
	{ list_of = "" }
	END {
		for (i = 1; i <= n_operands; i++) {
			o = operand[i]
			if (o in words)
				o = words[o]
			if (o ~ /^[a-z]/)
				print "operand", name, o
		}
		for (i = 1; i <= n_options; i++) {
			o = order[i]
			if (arg_of[o] in words)
				option_kind[o] = words[arg_of[o]]
			print "option", name, letter_of[o], o, option_kind[o], text[o]
		}
	}'
}

# one NAME: print the rows of a command of one or two words
one()
{
	# shellcheck disable=SC2086 # words
	text=$(help_of $1 2>/dev/null) || return 0	# not in this build
	printf '%s\n' "$text" | rows "$1"
}

# one_and_its_own NAME: print the rows of a command and of its subcommands
one_and_its_own()
{
	found=$(one "$1")
	printf '%s\n' "$found"
	for word in $(printf '%s\n' "$found" | sed -n "s/^operand$tab$1$tab\([a-z ]*\)\$/\1/p"); do
		help_of "$1" "$word" 2>/dev/null | grep -q "^usage: nodometer $1 $word " || continue
		printf 'command\t%s\t\n' "$1 $word"
		one "$1 $word"
	done
}

# "nodometer --help" lists the commands, each with a description
help=$(help_of '' 2>/dev/null || ${RUN-} "$folder/nodometer-commands" --help)
printf '%s\n' "$help" | rows '' | grep "^option"
printf '%s\n' "$help" | sed '1,/^Commands/d' | joined |
	awk -v OFS="$tab" '/^  [a-z]/ {
		name = $1
		text = $0
		if (substr($0, 23, 1) == " ")
			text = substr($0, 24)
		else
			sub(/^[^]]*\] */, "", text)
		print "command", name, text
	}'
for command in $(printf '%s\n' "$help" | sed -n '1,/^Commands/d; s/^  \([a-z][a-z-]*\) .*/\1/p'); do
	[ "$command" = help ] || one_and_its_own "$command"
done
${RUN-} "$folder/nodometer-types" --schema | sed -n "s/^!\([^ ]*\).*/type$tab\1/p"
