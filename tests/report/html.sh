#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# html.sh - HTML pages of nodometer report are well-formed, have the same numbers as its text, and
# are written completely or not at all
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
. "$(dirname "$0")/lib.sh"
src=$(cd "${srcdir:-.}/tests/report" && pwd) || exit 99
report=$bin/nodometer-report

# Write a page without a chart for each small archive that has a report.
mkdir "$work/pages" "$work/bin"
pages=0
for args in "$src"/*/args; do
	dir=${args%/args}
	cd "$dir" || exit 99
	# shellcheck disable=SC2046 # the words of the file are the arguments
	set -- $(sed 's/--json//' args)
	case ${dir##*/} in several-jobs*) continue ;; esac
	grep -qx 'exit 0' expected || continue
	name=$work/pages/${dir##*/}
	"$report" "$@" --json >"$name.json" 2>"$work/said" || continue
	PATH=$work/bin "$report" "$@" --html "$name.html" >"$work/out" 2>"$work/said" ||
		fail "${dir##*/}: $(cat "$work/said")"
	[ ! -s "$work/out" ] || fail "${dir##*/} prints: $(head -n 1 "$work/out")"
	pages=$((pages + 1))
done
python3 "$src/page.py" "$work/pages" || failed=1
grep -q 'unknown: no scheduler made a control group .* of its whole nodes<' \
	"$work/pages/job-row-nowhere.html" || fail 'no reason why the job itself is unknown'
[ $pages -gt 40 ] || fail "only $pages pages"
echo "$pages pages"

# Names of users and jobs appear as text, not as markup; a link in the site's advice file must be an
# HTTP URL.
cd "$src/found-idle-node" || exit 99
printf '%s\n' 'idle-nodes.link = javascript:alert(1)' >"$work/advice"
"$report" 7 --dir archive --advice "$work/advice" --html "$work/page.html" 2>"$work/said" ||
	fail "$(cat "$work/said")"
grep -q 'href="javascript' "$work/page.html" && fail 'a script is a link'
grep -q 'javascript:alert(1)' "$work/page.html" || fail 'a link that is none is not shown'
printf '%s\n' 'idle-nodes.link = https://hpc.example.org/?a=1&b="' >"$work/advice"
"$report" 7 --dir archive --advice "$work/advice" --html "$work/page.html" 2>"$work/said" ||
	fail "$(cat "$work/said")"
if command -v gnuplot >"$work/out"; then
	grep -q '<img class="chart".* src="data:image/svg+xml,%3C' "$work/page.html" ||
		fail 'no chart'
fi
grep -qF '<a href="https://hpc.example.org/?a=1&amp;b=&quot;">' "$work/page.html" ||
	fail "the link: $(grep -o '<a [^>]*>' "$work/page.html")"

# A page replaces an existing file completely or not at all, and has the mode that the umask gives.
(umask 077 && "$report" 7 --dir archive --html "$work/mine.html") || fail 'no page of my own'
[ "$(stat -c %a "$work/mine.html")" = 600 ] || fail "mode $(stat -c %a "$work/mine.html")"
"$report" 7 --dir archive --html "$work/none/page.html" 2>"$work/said" &&
	fail 'no folder: status 0'
grep -q 'none/page.html: No such file' "$work/said" || fail "no folder: $(cat "$work/said")"
if [ -w /dev/full ]; then
	(ulimit -f 8 && trap '' XFSZ && "$report" 7 --dir archive --html "$work/mine.html") \
		2>"$work/said" && fail 'no room: status 0'
	grep -q 'mine.html: File too large' "$work/said" || fail "no room: $(cat "$work/said")"
	[ "$(tail -n 1 "$work/mine.html")" = '</body></html>' ] ||
		fail 'no room: the old page is gone'
	[ "$(find "$work" -name 'mine.html*' | wc -l)" = 1 ] || fail "no room: left $(ls "$work")"
fi

# Without gnuplot, there is still a page, which says why it has no chart.
PATH=$work/bin "$report" 7 --dir archive --html "$work/plain.html" 2>"$work/said" ||
	fail "no gnuplot: $(cat "$work/said")"
grep -q 'no chart: gnuplot is not installed' "$work/said" || fail "no gnuplot: $(cat "$work/said")"
grep -q '>No chart: gnuplot is not installed' "$work/plain.html" ||
	fail 'no gnuplot: not on the page'

PATH=$work/bin "$report" 7 --dir archive --html - >"$work/out" 2>"$work/said" ||
	fail "standard output: $(cat "$work/said")"
cmp "$work/out" "$work/plain.html" || fail 'standard output has another page'

for words in '7 --json' '7 8' ''; do
	# shellcheck disable=SC2086 # words
	"$report" $words --dir archive --html "$work/two.html" 2>"$work/said"
	[ $? = 2 ] || fail "$words: $(cat "$work/said")"
	[ ! -e "$work/two.html" ] || fail "$words: a page"
done
exit $failed
