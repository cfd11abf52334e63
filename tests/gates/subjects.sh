#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# subjects.sh - comments, and sentences of manuals, begin with the thing that acts
. "$(dirname "$0")/gate.sh"

# Inside a comment "It" may stand for the subject just named; What, Who and Those do not.
# shellcheck disable=SC2046 # file names hold no blanks
out=$(awk '
function check(text)
{
	sub(/^ +/, "", text)
	if (match(tolower(text), /^(what|one|who|those|its?|they|that)[^a-z]/))
		print FILENAME ":" line ": a comment begins with \"" \
			substr(text, 1, RLENGTH - 1) "\": name its subject"
	if (match(text, /[.!?] +(What|Who|Those) /))
		print FILENAME ":" line ": a sentence begins with \"" \
			substr(text, RSTART + 2, RLENGTH - 3) "\": name its subject"
}
FNR == 1 { inside = 0 }
{
	rest = $0
	if (inside && !sub(/^[ \t]*\*[ \t]+/, "", rest) && rest ~ /^[ \t]*\*$/)
		rest = ". "	# a new paragraph
	while (inside || match(rest, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*/)) {
		if (!inside && substr(rest, RSTART, 2) != "/*") {
			rest = substr(rest, RSTART + RLENGTH)
			continue
		}
		if (!inside) {
			line = FNR
			text = ""
			inside = 1
			rest = substr(rest, RSTART + 2)
		}
		end = index(rest, "*/")
		text = text " " (end ? substr(rest, 1, end - 1) : rest)
		if (!end)
			break
		check(text)
		inside = 0
		rest = substr(rest, end + 2)
	}
}
' $(c_files))
status=$?

# In manuals each sentence begins a line.
finish $status "$(printf '%s\n' "$out"
	grep -nE '(^|[.!?] +)(What|Who|Those|That|One (that|which|who))( |$)' \
		README.md NUMBERS.md CONTRIBUTING.md NEWS man/*.[1578] man/*.in |
		sed 's/$/ - name its subject/')"
