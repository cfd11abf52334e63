#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# metrics.sh - nodometer-metrics(7) has each label of HPCPerfStats, and what it calls ours is there
src=$(cd "${srcdir:-.}" && pwd) || exit 99
page=$src/man/nodometer-metrics.7
failed=0
fail() { echo "FAIL: $*"; failed=1; }

n=$(grep -c '^\.It [a-z_0-9]*$' "$page")
[ "$n" = 66 ] || fail "$n labels, not 66"
twice=$(grep '^\.It [a-z_0-9]*$' "$page" | sort | uniq -d)
[ -z "$twice" ] || fail "twice: $twice"

# Ids of derived figures, and TYPE.KEY or the id of others, as their tables have them.
ours=$({
	sed -n 's/^\t{ "\([a-z_0-9]*\)", [A-Z]*,.*/\1/p' "$src/figures/derived.c"
	sed -n 's/^\t{ "[^"]*", *"[^"]*", *"\([a-z_0-9]*\)", *"\([A-Za-z_0-9]*\)".*/\1.\2/p' \
		"$src/figures/figures.c"
	sed -n 's/.*\.id = "\([a-z.-]*\)".*/\1/p' "$src/figures/figures.c"
} | sort -u)
[ "$(echo "$ours" | wc -l)" -gt 150 ] || fail 'the tables were not read'
names=$(sed -n 's/^\.Cm \([a-z].*\)/\1/p' "$page" | tr ' ' '\n' | grep '^[a-z]' | sort -u)
[ "$(echo "$names" | wc -l)" -gt 40 ] || fail 'the page was not read'
for name in $names; do
	case $name in figures | derived | value | peak) continue ;; esac
	echo "$ours" | grep -qx "$name" || fail "$name is no figure"
done
exit $failed
