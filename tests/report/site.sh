#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# site.sh - nodometer site writes pages of new runs and lists of all runs, for any names, and writes
# only in its own folder
. "$(dirname "$0")/lib.sh"
archive=$work/archive out=$work/out

# run HOST EPOCH JOB [ATTRIBUTE...]: make a file of HOST with a run of 20 minutes
run()
{
	host=$1 at=$2 job=$3
	shift 3
	mkdir -p "$archive/$host"
	# shellcheck disable=SC2016 # properties, not variables
	{
		printf '%s\n' '$hpcperfstats 1.0.2' "\$hostname $host" \
			'!cpu user,E,U=cs idle,E,U=cs'
		printf '\n%s %s\n%%begin %s %s\ncpu 0 0 0\ncpu 1 0 0\n' "$at" "$job" "$job" "$*"
		printf '\n%s %s\n%%end %s\ncpu 0 60000 60000\ncpu 1 100 119900\n' $((at + 1200)) \
			"$job" "$job"
	} >"$archive/$host/$at"
}
site()
{
	"$bin/nodometer-site" --dir "$archive" --out "$out" >"$work/said" 2>&1
	status=$?
	[ $status = "${1:-0}" ] || fail "site: status $status: $(cat "$work/said")"
}
written() { (cd "$out" && find . -type f -printf '%p %i %T@\n' | sort) >"$work/$1"; }

run n1 1700000000 7 user=ann account=phys
run n2 1700000000 7 user=ann account=phys
run n1 1700010000 8 user=nobody account=phys
run n1 1700020000 9
run n2 1700030000 '../../../x' user=../../y 'account=../z'
evil='<script>alert(1)</script>"'
run n3 1700040000 "$evil" "user=$evil" "account=$evil"
run '<img>' 1700050000 10 user=.htaccess
long=$(printf '%0120d' 0)
run n4 1700060000 "$long" "user=$(printf '%0200d' 1)"
site
for page in index.html all/index.html all/worst.html all/fleet.html all/users.html \
	all/accounts.html all/nodes.html all/search.js all/account-phys.html all/node-n1.html \
	all/week-2023-W46.html users/ann/index.html users/ann/search.js \
	users/ann/run-7-1700000000.html \
	users/nobody/run-8-1700010000.html users/=unknown/run-9-1700020000.html \
	users/=2E.=2F..=2Fy/run-=2E.=2F..=2F..=2Fx-1700030000.html \
	users/=2Ehtaccess/run-10-1700050000.html; do
	[ -s "$out/$page" ] || fail "no $page: $(find "$out")"
done
[ "$(find "$out" -name 'run-*' | wc -l)" = 7 ] || fail "runs: $(find "$out" -name 'run-*')"
[ "$(find "$work" -type f -not -path "$out/*" -not -path "$archive/*")" = "$work/said" ] ||
	fail "elsewhere: $(find "$work")"

# Names appear as text, not as markup, and each link on a page leads to an existing file.
! grep -rl --include='*.html' 'alert(1)</script>\|<img>' "$out" || fail 'a name is markup'
grep -q '&lt;script&gt;alert(1)&lt;/script&gt;&quot;' "$out/all/users.html" || fail 'no name'
find "$out" -name '*.html' | while read -r page; do
	grep -o 'href="[^"]*"\|src="[^"]*"' "$page" | sed 's/^[a-z]*="//; s/"$//' |
		grep -v '^data:\|^#' | while read -r link; do
			[ -f "${page%/*}/$link" ] || echo "$page: $link"
		done
done >"$work/lost"
[ ! -s "$work/lost" ] || fail "links: $(head "$work/lost")"
grep -q '\],\["7","../users/ann/run-7-1700000000.html","ann","2023-11-14 22:13:20"\]\];$' \
	"$out/all/search.js" || fail "search: $(cat "$out/all/search.js")"
! grep -q 'run-8' "$out/users/ann/search.js" || fail 'runs of another user'

# The page of a run equals the page of nodometer report --html, including its chart.
PATH=$work "$bin/nodometer-report" 7 --dir "$archive" --html "$work/7.html" 2>/dev/null
grep -v 'No chart' "$work/7.html" >"$work/want"
grep -v 'No chart' "$out/users/ann/run-7-1700000000.html" | cmp -s - "$work/want" ||
	fail 'not the page of the report'

# A user's folder has a mode and a .htaccess that admit only this user. The folder of an invalid
# user name admits nobody.
[ "$(stat -c %a "$out/users/nobody")" = 750 ] || fail "rights: $(stat -c %a "$out/users/nobody")"
[ "$(stat -c %a "$out/users/ann/index.html")" = 640 ] || fail 'rights of a page'
if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1; then
	[ "$(stat -c %U "$out/users/nobody")" = nobody ] || fail 'not of its user'
fi
grep -qx 'Require user ann' "$out/users/ann/.htaccess" || fail 'nobody is let in'
for name in '=unknown' '=3Cscript=3Ealert=281=29=3C=2Fscript=3E=22'; do
	grep -qx 'Require all denied' "$out/users/$name/.htaccess" || fail "$name: all are let in"
done

# A second call writes nothing. A new run gets a page, and the pages of other runs are not written
# again.
written before
site
written after
cmp -s "$work/before" "$work/after" || fail "again: $(diff "$work/before" "$work/after")"
run n3 1700070000 11 user=ann
site
written after
diff "$work/before" "$work/after" | grep run- | grep -v 'run-11-1700070000' >"$work/lost" &&
	fail "pages of other runs: $(cat "$work/lost")"
[ -s "$out/users/ann/run-11-1700070000.html" ] || fail 'no page of a new run'
grep -q run-11 "$out/users/ann/index.html" || fail 'not in the list'

# A page that cannot be written is an error, and the next call tries again.
run n4 1700080000 12 user=ann
mkdir "$out/users/ann/run-12-1700080000.html"
site 1
rmdir "$out/users/ann/run-12-1700080000.html"
site
[ -s "$out/users/ann/run-12-1700080000.html" ] || fail 'no page at the second call'

# A user who owns a folder cannot make nodometer site write elsewhere: a link in place of a page is
# replaced, and a link in place of the folder is refused.
echo kept >"$work/victim"
ln -sf "$work/victim" "$out/users/ann/index.html"
site
[ "$(cat "$work/victim")" = kept ] || fail 'written through a link'
[ ! -L "$out/users/ann/index.html" ] || fail 'the link stays'
mv "$out/users/ann" "$work/moved"
mkdir "$work/elsewhere"
ln -s "$work/elsewhere" "$out/users/ann"
site 1
[ -z "$(ls -A "$work/elsewhere")" ] || fail 'written through a folder'
# Another site computes the rows of all runs again, but keeps each of them only once.
kept=$(stat -c %s "$archive/.runs")
"$bin/nodometer-site" --dir "$archive" --out "$work/other" >"$work/said" 2>&1 ||
	fail "another site: $(cat "$work/said")"
[ "$(find "$work/other" -name 'run-*' | wc -l)" = 9 ] || fail 'another site lacks pages'
[ "$(stat -c %s "$archive/.runs")" = "$kept" ] || fail 'rows are kept twice'
"$bin/nodometer-site" --dir "$archive" >"$work/said" 2>&1
[ $? = 2 ] || fail 'no --out'
exit $failed
