#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# calls.sh - calls between modules go one way: if module A calls B, then B does not call A, not even
# through others
built=$PWD
. "$(dirname "$0")/gate.sh"

# modules: print "FOLDER/NAME OBJECT" for each object file of the build folder: its module and its
# path. automake may put a program's name before the name of the source. Leave out objects whose
# source was removed.
modules()
{
	find_objects | while read -r object; do
		folder=${object%/*} name=${object##*/}
		name=${name%.o}
		[ -e "$folder/$name.c" ] || name=${name#*-}
		[ ! -e "$folder/$name.c" ] || echo "$folder/$name $object"
	done
}

find_objects()
{
	for d in $(rooms | grep -v '^tests'); do
		[ ! -d "$built/$d" ] || (cd "$built" && find "$d" -name '*.o')
	done
}

# calls MODULES: print "A B FUNCTION" if a function of module A calls FUNCTION, which module B
# defines
calls()
{
	cut -d ' ' -f 2 "$1" | (cd "$built" && xargs nm -A -P) | awk '
	NR == FNR { module[$2 ":"] = $1; next }
	$3 == "T" { defines[$2] = module[$1] }
	$3 == "U" { n++; from[n] = module[$1]; name[n] = $2 }
	END {
		for (i = 1; i <= n; i++) {
			to = defines[name[i]]
			if (to && to != from[i])
				print from[i], to, name[i]
		}
	}' "$1" - | sort -u
}

# circles: print each call whose callee leads back to the calling module
circles()
{
	awk '
	function leads(from, to,   todo, n, i, k, m, next_ones, seen) {
		todo[n = 1] = from
		for (i = 1; i <= n && todo[i] != to; i++) {
			m = split(callees[todo[i]], next_ones, " ")
			for (k = 1; k <= m; k++)
				if (!seen[next_ones[k]]++)
					todo[++n] = next_ones[k]
		}
		return i <= n
	}
	{
		from[NR] = $1
		to[NR] = $2
		name[NR] = $3
		callees[$1] = callees[$1] " " $2
	}
	END {
		for (i = 1; i <= NR; i++) {
			if (!((from[i], to[i]) in back))
				back[from[i], to[i]] = leads(to[i], from[i])
			if (back[from[i], to[i]])
				print from[i] ".c: calls " name[i] "() of " to[i] \
					".c, which calls back"
		}
	}'
}

need nm
list=$(mktemp) || exit 99
trap 'rm -f "$list"' EXIT
modules >"$list"
[ -s "$list" ] || skip 'no object files here: start it in a build folder'
out=$(calls "$list" | circles)
finish $? "$out"
