#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# words.sh - ambiguous words do not occur in texts for users
. "$(dirname "$0")/gate.sh"

# Write instead: after; again or reopened; reports or shows; start of a job; and exit.
banned='behind|anew|tell|tells|told|telling'
phrases='begins? of (a|the|each|every) job|and leave"|only what is not (older|newer)'

texts="README.md NUMBERS.md CONTRIBUTING.md tests/README.md NEWS"
for f in $texts man/nodometer.1 man/nodometer-types.1.in; do
	[ -f "$f" ] || { echo "no $f"; exit 1; }
done
# In .c files, only strings are searched.
# shellcheck disable=SC2046,SC2086 # file names hold no blanks
finish 0 "$({
	grep -niE "$phrases" README.md NUMBERS.md NEWS man/*.[158] man/*.in quickstart \
		$(find hooks packaging -type f)
	grep -niE "\"[^\"]*($phrases)" $(c_files | grep -v '^tests/')
	grep -nwiE "$banned" $texts doc/*.md man/*.[158] man/*.in
	grep -niE "\"[^\"]*\\b($banned)\\b" $(c_files | grep -v -e '^tests/' -e '\.h$') |
		grep -v -e '/\*' -e ':[[:blank:]]*\*'
} 2>&1)"
