# SPDX-License-Identifier: BSD-3-Clause
# parser.awk - accepts a raw stats file as "Raw stats data" of hpcperfstats' README describes it, and
# nothing else; knows nothing of nodometer. Usage: awk -f parser.awk [-v host=1] FILE
# host=1: group lines carry the host's name as third word, as version 2 wrote them.

function bad(what)
{
	printf "%s:%d: %s\n", FILENAME, FNR, what
	failed = 1
	exit 1
}

function check_key(key,    part, n, i)
{
	n = split(key, part, ",")
	if (part[1] == "")
		bad("a key without a name")
	for (i = 2; i <= n; i++)
		if (part[i] !~ /^(E|C|W=[0-9]+|U=[^ ]+)$/)
			bad("option " part[i] " of key " part[1])
}

BEGIN { state = "header" }

/[^[:print:]]/ { bad("a character that is not printable") }
FNR == 1 && !/^\$hpcperfstats [0-9.]+$/ { bad("the first line is not $hpcperfstats VERSION") }
FNR == 2 && !/^\$hostname [^ ]+$/ { bad("the second line is not $hostname FQDN") }
FNR == 3 && !/^\$uname ./ { bad("the third line is not $uname") }
FNR == 4 && !/^\$uptime [0-9]+$/ { bad("the fourth line is not $uptime SECONDS") }

/^\$/ {
	if (state == "header" || state == "rows" || (state == "blank" && groups)) {
		state = "header"
		next
	}
	bad("a header line in the middle of a record group")
}

/^!/ {
	if (state != "header")
		bad("a schema line behind the header")
	type = substr($1, 2)
	if (type == "" || NF < 2)
		bad("a schema without type or keys")
	for (i = 2; i <= NF; i++)
		check_key($i)
	keys[type] = NF - 1
	next
}

/^$/ {
	if (state == "group" || state == "blank")
		bad("a blank line in the middle of a record group")
	state = "blank"
	next
}

state == "blank" {
	if ($1 !~ /^[0-9]+(\.[0-9]+)?$/ || NF != 2 + host)
		bad("not the epoch time and the job id")
	if ($1 + 0 < last + 0)
		bad("the time goes back")
	last = $1
	state = "group"
	groups++
	next
}

/^%/ {
	if (state != "group")
		bad("a mark that does not stand behind the time")
	marks++
	next
}

{
	if (state != "group" && state != "rows")
		bad("statistics outside of a record group")
	if (!($1 in keys))
		bad("type " $1 " has no schema")
	if (NF != 2 + keys[$1])
		bad("type " $1 " has " keys[$1] " keys, this line " NF - 2 " values")
	for (i = 3; i <= NF; i++)
		if ($i !~ /^[0-9]+$/)
			bad("value " $i)
	state = "rows"
	rows++
}

END {
	if (failed)
		exit 1
	if (state == "blank" || state == "group" || !groups)
		bad("the file ends in the middle of a record group")
	printf "%d groups, %d marks, %d rows\n", groups, marks, rows
}
