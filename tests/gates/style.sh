#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# style.sh - check the style as far as a program can: banned functions, line widths, first lines,
# lengths
. "$(dirname "$0")/gate.sh"

banned='v?[fs]?scanf|strtok(_r)?|ato(i|l|ll|f)|strtou?ll?|strcpy|strcat|v?sprintf|gets'

# shellcheck disable=SC2046 # file names hold no blanks
out=$(awk -v banned="(^|[^A-Za-z0-9_])($banned)[ \t]*[(]" '
function bad(what) { print FILENAME ":" FNR ": " what }
function says(mark)
{
	return index($0, mark " " name " - ") == 1 || index($0, mark " " short " - ") == 1
}
function columns(s,   n, i, c)
{
	gsub(/[\200-\277]/, "", s)	# count the characters of UTF-8, not its bytes
	n = 0
	for (i = index(s, "\t"); i; i = index(s, "\t")) {
		n += i - 1
		n += 8 - n % 8
		s = substr(s, i + 1)
	}
	return n + length(s)
}
function end_of_file()
{
	limit = reads_type ? 250 : 700
	if (last ~ /\.c$/ && lines > limit)
		print last ":" lines ": more than " limit " lines"
	if (last ~ /\.h$/ && !once)
		print last ":1: no #pragma once"
}
FNR == 1 {
	end_of_file()
	last = FILENAME
	reads_type = 0
	is_c = FILENAME ~ /\.[ch]$/
	once = 0
	grows = FILENAME ~ /^lib\/base\/(map|vec)\.c$/
	name = FILENAME
	sub(/.*\//, "", name)
	short = name
	sub(/\.[a-z]+$/, "", short)
}
{ lines = FNR }
is_c && FNR == 1 && $0 != "/* SPDX-License-Identifier: BSD-3-Clause */" { bad("no SPDX line") }
is_c && FNR == 2 && $0 != "/*" && !says("/*") { bad("is not \"/* " name " - one idea\"") }
is_c && FNR == 3 && before == "/*" && !says(" *") { bad("is not \" * " name " - one idea\"") }
!is_c && FNR == 2 && $0 != "# SPDX-License-Identifier: BSD-3-Clause" { bad("no SPDX line") }
!is_c && FNR == 3 && !says("#") { bad("is not \"# " name " - one idea\"") }
{ before = $0 }
is_c && match($0, banned) { bad("banned function: " substr($0, RSTART, RLENGTH)) }
is_c && !grows && /cap[a-z_]* \? 2 \* / { bad("arrays grow by vec_reserve()") }
/^#pragma once$/ { once = 1 }
/^const struct collector / { reads_type = 1 }
/[ \t\r]$/ { bad("trailing blank") }
is_c && /^ +[^ *]/ { bad("indented by spaces") }
/(^|[^A-Z])(TO[D]O|FIX[M]E|XX[X])([^A-Z]|$)/ { bad("unfinished business: do it or drop the note") }
columns($0) > 100 { bad(columns($0) " columns") }
END { end_of_file() }
' $(c_files) $(scripts))
finish $? "$out"
