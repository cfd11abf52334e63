#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# numbers.sh - each table of NUMBERS.md is one that a benchmark prints, put there by make numbers
. "$(dirname "$0")/gate.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# What is between markers is replaced, all else stays; a program that fails changes nothing.
cp tests/bench/numbers.sh "$work"
printf '#!/bin/sh\necho\necho one 1.5\necho\necho "two & 2"\n' >"$work/good.sh"
printf '#!/bin/sh\necho 1; exit 3\n' >"$work/bad.sh"
chmod +x "$work/good.sh" "$work/bad.sh"
printf '%s\n' before '<!-- tests/bench/good.sh -->' '| old | 1 |' '<!-- end -->' after >"$work/in"
printf '%s\n' before '<!-- tests/bench/good.sh -->' '' '    one 1.5' '' '    two & 2' '' \
	'<!-- end -->' after >"$work/wanted"

finish 0 "$({
	awk '
	/^<!-- tests\/bench\/[a-z]*\.sh -->$/ {
		if (inside)
			print "NUMBERS.md:" FNR ": a block without an end"
		inside = FNR
		if (system("test -x " $2))
			print "NUMBERS.md:" FNR ": no program " $2
		next
	}
	/^<!--/ && !/^<!-- end -->$/ { print "NUMBERS.md:" FNR ": is no marker" }
	/^<!-- end -->$/ { inside = 0 }
	/^(\||    )/ && !inside { print "NUMBERS.md:" FNR ": figures that no benchmark prints" }
	END {
		if (inside)
			print "NUMBERS.md:" inside ": a block without an end"
	}' NUMBERS.md
	"$work/numbers.sh" "$work/in" 2>"$work/said" || cat "$work/said"
	diff "$work/wanted" "$work/in"
	sed 's/good/bad/' "$work/in" >"$work/fails"
	cp "$work/fails" "$work/kept"
	! "$work/numbers.sh" "$work/fails" >/dev/null 2>&1 ||
		echo 'tests/bench/numbers.sh: a benchmark that fails is not seen'
	cmp "$work/kept" "$work/fails"
} 2>&1)"
