# SPDX-License-Identifier: BSD-3-Clause
# judge.awk - compare raw files with the expected values, without any code of nodometer
#
# Usage: awk -v who=NAME -f judge.awk FACTS EXPECT FILE... FACTS has lines "name number"; EXPECT
# explains its own format; the FILEs are one archive, oldest first.

function bad(what)
{
	failed++
	printf "%s: NOT OK: %s\n", who, what
}

function good(what)
{
	passed++
	printf "%s: ok: %s\n", who, what
}

# amount(WORD): the number of "6M", "0.5*burnt", or "-" (no limit)
function amount(word,    part, n, i, v)
{
	v = 1
	n = split(word, part, "*")
	for (i = 1; i <= n; i++) {
		if (part[i] in fact)
			v *= fact[part[i]]
		else if (part[i] ~ /^[0-9.]+[KM]?$/)
			v *= part[i] * (part[i] ~ /K$/ ? 1024 : part[i] ~ /M$/ ? 1048576 : 1)
		else
			bad("no such amount: " word)
	}
	return v
}

# factor(UNIT): bytes, microseconds, or a count
function factor(unit)
{
	if (!(unit in factors)) {
		bad("unknown unit " unit)
		factors[unit] = 1
	}
	return factors[unit]
}

# value(): the group's value in these units
function value(group, type, device, key)
{
	return at[group, type, device, key] * factor(units[type, key])
}

function within(what, v, from, to)
{
	what = what ": " sprintf("%.0f", v) ", expected " from " to " to
	if ((from == "-" || v >= amount(from)) && (to == "-" || v <= amount(to)))
		good(what)
	else
		bad(what)
}

function check_value(kind, type, device, key, from, to,    what, v)
{
	what = type " " device " " key
	if (!((mark["end"], type, device, key) in at)) {
		bad(what ": no value at the end mark")
		return
	}
	v = value(mark["end"], type, device, key)
	if (kind == "grew") {
		if (!((mark["begin"], type, device, key) in at)) {
			bad(what ": no value at the begin mark")
			return
		}
		v -= value(mark["begin"], type, device, key)
		what = what " grew by"
	}
	within(what, v, from, to)
}

# spread(WORDS): "0-2 x" becomes "0 1 2 x"
function spread(words,    part, n, i, ends, d, list)
{
	n = split(words, part, " ")
	for (i = 1; i <= n; i++)
		if (part[i] ~ /^[0-9]+-[0-9]+$/) {
			split(part[i], ends, "-")
			for (d = ends[1]; d <= ends[2] + 0; d++)
				list = list " " d
		} else {
			list = list " " part[i]
		}
	return list
}

function check_devices(where, type, want,    got)
{
	got = devices[mark[where], type]
	want = spread(want)
	if (got == want)
		good(type " at mark " where ":" (want == "" ? " no device" : want))
	else
		bad(type " at mark " where ":" got ", expected" want)
}

function check(line,    word, n, rest)
{
	n = split(line, word, " ")
	rest = line
	sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]*/, "", rest)
	if (word[1] == "is" || word[1] == "grew")
		check_value(word[1], word[2], word[3], word[4], word[5], word[6])
	else if (word[1] == "header" && property[word[2]] == rest)
		good(word[2] " " rest)
	else if (word[1] == "header")
		bad(word[2] " " property[word[2]] ", expected " rest)
	else if (word[1] in mark)
		check_devices(word[1], word[2], rest)
	else
		bad("no such mark, or no such test: " line)
}

BEGIN {
	n = split("= 1 B 1 KB 1024 512B 512 4B 4 4K 4096 us 1 ns 0.001 ms 1000 cs 10000 mC 1 W 1", pair, " ")
	for (i = 1; i < n; i += 2)
		factors[pair[i] == "=" ? "" : pair[i]] = pair[i + 1]
	everyone = 1
}

FNR == 1 { files++ }
files == 1 { fact[$1] = $2 }
files == 2 && /^\[/ { everyone = $0 == "[" who "]" }
files == 2 && /^[a-z]/ && everyone { wanted[++wants] = $0 }
files <= 2 { next }

/^\$/ {
	property[substr($1, 2)] = substr($0, length($1) + 2)
	next
}
/^!/ {
	type = substr($1, 2)
	for (i = 2; i <= NF; i++) {
		split($i, option, ",")
		keys[type, i - 1] = option[1]
		unit = ""
		if (match($i, /,U=[^,]+/))
			unit = substr($i, RSTART + 3, RLENGTH - 3)
		units[type, option[1]] = unit
	}
	next
}
$0 == "" { getline; group++; next }
/^%/ {
	mark[substr($1, 2)] = group
	next
}
{
	devices[group, $1] = devices[group, $1] " " $2
	for (i = 3; i <= NF; i++)
		at[group, $1, $2, keys[$1, i - 2]] = $i
}

END {
	for (i = 1; i <= wants; i++)
		check(wanted[i])
	printf "# PASS: %d\n# FAIL: %d\n", passed, failed
	exit failed > 0
}
