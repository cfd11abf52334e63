#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# numbers.sh - a benchmark prints each table of NUMBERS.md, and "make numbers" inserts it
. "$(dirname "$0")/gate.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
top=$PWD

# tests/bench/numbers.sh replaces only text between markers. A benchmark that fails changes nothing.
# A benchmark whose output is kept does not run again.
mkdir -p "$work/tests/bench"
cp tests/bench/numbers.sh "$work"
printf '#!/bin/sh\necho\necho one 1.5\necho\necho "two & 2"\necho run >>runs\n' >"$work/good.sh"
printf '#!/bin/sh\necho 1; exit 3\n' >"$work/bad.sh"
printf '#!/bin/sh\necho absent: no tool\n' >"$work/absent.sh"
chmod +x "$work/good.sh" "$work/bad.sh" "$work/absent.sh"
printf '%s\n' before '<!-- tests/bench/good.sh -->' '| old | 1 |' '<!-- end -->' after \
	'<!-- last line of tests/bench/good.sh -->' old '<!-- end -->' >"$work/in"
printf '%s\n' before '<!-- tests/bench/good.sh -->' '' '    one 1.5' '' '    two & 2' '' \
	'<!-- end -->' after '<!-- last line of tests/bench/good.sh -->' 'two & 2' \
	'<!-- end -->' >"$work/wanted"

finish 0 "$({
	awk '
	function no_end() {
		if (inside)
			print inside ": a block without an end"
	}
	FNR == 1 { no_end(); inside = "" }
	/^<!-- (last line of )?tests\/bench\/[a-z]*\.sh -->$/ {
		no_end()
		inside = FILENAME ":" FNR
		if (system("test -x " $(NF - 1)))
			print FILENAME ":" FNR ": no program " $(NF - 1)
		next
	}
	/^<!--/ && !/^<!-- end -->$/ { print FILENAME ":" FNR ": is no marker" }
	/^<!-- end -->$/ { inside = "" }
	FILENAME == "NUMBERS.md" && /^(\||    )/ && !inside {
		print "NUMBERS.md:" FNR ": figures that no benchmark prints"
	}
	END { no_end() }' NUMBERS.md README.md
	cd "$work" || exit
	for _ in 1 2; do
		./numbers.sh in >said 2>&1 || cat said
		diff wanted in
	done
	[ "$(grep -c run runs)" = 1 ] ||
		echo "$top/tests/bench/numbers.sh: what was kept is not taken"
	sed 's/good/bad/' in >fails
	cp fails kept
	! ./numbers.sh in fails >said 2>&1 ||
		echo "$top/tests/bench/numbers.sh: a benchmark that fails is not seen"
	cmp kept fails
	sed 's/good/absent/' kept >fails
	cp fails kept
	./numbers.sh run absent >said 2>&1 || cat said	# make bench continues without this tool
	! ./numbers.sh in fails >said 2>&1 ||
		echo "$top/tests/bench/numbers.sh: figures that are not there are taken"
	cmp kept fails
} 2>&1)"
