#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - the HTML report of a job works in a browser without a network: sorting by click, 80
# nodes, window sizes
packages='chromium gnuplot-nox'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"
browser=$(command -v chromium) || skip 'no chromium'
command -v gnuplot >"$scratch/log" || skip 'no gnuplot'

# Make records of 80 nodes: one is idle, and the name of one looks like HTML code.
script='<script>alert(1)</script>'
node()	# node NAME BUSY: write the records of a node
{
	mkdir -p "$scratch/archive/$1"
	{
		printf '%s\n' '$hpcperfstats 1.0.2' "\$hostname $1" \
			'!cpu user,E,U=cs idle,E,U=cs' '!mem MemTotal,U=KB MemUsed,U=KB'
		for i in 0 1 2 3 4 5 6; do
			at=$((1700000000 + 600 * i))
			printf '\n%s 7\n' $at
			[ $i != 0 ] ||
				printf '%%begin 7 user=eve name=%s\n' "$script"
			[ $i != 6 ] || printf '%%end 7\n'
			for cpu in 0 1; do
				printf 'cpu %s %s %s\n' $cpu $((i * 600 * $2)) \
					$((i * 600 * (100 - $2)))
			done
			printf 'mem 0 1000000 %s\n' $((500000 + i * 1000))
		done
	} >"$scratch/archive/$1/1700000000"
}
for i in $(seq 10 88); do node "n$i" $((60 + i % 30)); done
node idle1 0
"$bin/nodometer-report" 7 --dir "$scratch/archive" --html "$scratch/page.html" ||
	die 'no page'
grep -q 'src="data:image/svg' "$scratch/page.html" || fail 'no chart'

# shown FILE ARGUMENT...: open FILE in a new browser; messages of its scripts and about policies go
# to $scratch/said
shown()
{
	file=$1
	shift
	HOME=$scratch/home timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$scratch/home" --enable-logging=stderr --window-size=1200,2400 \
		"$@" "file://$file" 2>"$scratch/said"
}
no_error()
{
	grep 'CONSOLE.*source: file:' "$scratch/said" && fail "$1: errors in the console"
}
# Check that no_error() would notice a page that loads something and whose script fails.
{ sed '$d' "$scratch/page.html"; echo '<img src="http://n1/x.png"><script>nothing()</script>'; } \
	>"$scratch/wrong.html"
shown "$scratch/wrong.html" --dump-dom >"$scratch/log"
[ "$(grep -c 'CONSOLE.*source: file:' "$scratch/said")" -ge 2 ] ||
	die "errors are not seen: $(tail -n 3 "$scratch/said")"
shown "$scratch/page.html" --screenshot="$scratch/page.png" >"$scratch/log"
no_error 'the page'
[ "$(head -c 4 "$scratch/page.png" | tail -c 3)" = PNG ] ||
	die "no picture: $(tail -n 3 "$scratch/said")"
[ "$(wc -c <"$scratch/page.png")" -gt 100000 ] || fail 'the picture is nearly empty'

# Click on columns of the page to sort: twice by CPU, then twice by node name.
cat >"$scratch/clicks" <<'X'
<script>
const seen = [];
for (const i of [2, 2, 0, 0]) {
	document.querySelectorAll(".nodes th button")[i].click();
	seen.push(document.querySelector(".nodes tbody").rows[0].cells[0].textContent);
}
document.title = seen.join(" ") + " " + document.images[0].naturalWidth;
</script>
X
{ sed '$d' "$scratch/page.html"; cat "$scratch/clicks"; tail -n 1 "$scratch/page.html"; } \
	>"$scratch/clicked.html"
shown "$scratch/clicked.html" --dump-dom >"$scratch/dom"
no_error 'clicks'
title=$(sed -n 's|.*<title>\(.*\)</title>.*|\1|p' "$scratch/dom")
case $title in
'n29 idle1 n88 idle1 '[1-9]*|'n59 idle1 n88 idle1 '[1-9]*) ;;
*) fail "sorted: $title" ;;
esac
grep -q 'id="no-cpu-time".*: idle1\.' "$scratch/dom" || fail 'the idle node is not found'

# Load the page into frames with the widths of several windows: no text may be cut off, unless users
# can scroll to it by key and touch.
cat >"$scratch/measures" <<'X'
<script>
addEventListener("load", () => {
	const wrong = [], cut = e => e.scrollWidth > e.clientWidth + 1;
	const scrolls = e => getComputedStyle(e).overflowX === "auto" && e.tabIndex === 0;
	for (const e of document.querySelectorAll("body, main, main *")) {
		const r = e.getBoundingClientRect();
		if ((r.right > innerWidth + 1 || r.left < -1) && !e.closest(".wide"))
			wrong.push(e.tagName + " ends at " + r.right);
		if (cut(e) && scrolls(e) ? innerWidth >= 1400 :
		    cut(e) && getComputedStyle(e).overflowX !== "visible")
			wrong.push(e.tagName + " cuts " + e.textContent.slice(0, 20));
	}
	for (const e of document.querySelectorAll(".use i"))
		if (e.getBoundingClientRect().width < 200)
			wrong.push("a bar of " + e.getBoundingClientRect().width);
	const words = document.images[0].alt, mains = document.querySelectorAll("main").length;
	if (mains !== 1 || !/CPU, user, %: at most \d/.test(words))
		wrong.push("no main, or a chart in no words: " + words);
	console.log("measured " + innerWidth + ": " + wrong.join("; ") + ".");
});
</script>
X
# measured NAME: fail unless NAME.html fits into windows of all these widths
measured()
{
	{ sed '$d' "$scratch/$1.html"; cat "$scratch/measures"; tail -n 1 "$scratch/$1.html"; } \
		>"$scratch/measured.html"
	for width in 360 390 768 1024 1400 2560; do
		echo "<iframe width=$width height=900 style=border:0 src=measured.html></iframe>"
	done >"$scratch/frames.html"
	shown "$scratch/frames.html" --virtual-time-budget=9000 --dump-dom >"$scratch/log"
	for width in 360 390 768 1024 1400 2560; do
		grep -q "measured $width: \\." "$scratch/said" ||
			fail "$1, $width wide: $(grep -o "measured $width: [^\"]*" "$scratch/said")"
	done
}
# printed NAME PAPER PAGES: print the page NAME on PAPER; the result must have at most PAGES pages
printed()
{
	{ sed '$d' "$scratch/$1.html"; echo "<style>@page{size:$2}</style></body></html>"; } \
		>"$scratch/paper.html"
	shown "$scratch/paper.html" --print-to-pdf="$scratch/paper.pdf" >"$scratch/log"
	pages=$(grep -ac '^/Type /Page$\|/Type /Page *$' "$scratch/paper.pdf")
	{ [ "$pages" -ge 1 ] && [ "$pages" -le "$3" ]; } || fail "$1 on $2: $pages pages"
}
"$bin/nodometer-report" 7 --dir "$top/tests/report/derived-net/archive" \
	--html "$scratch/one.html" || die 'no page of one node'
measured page
measured one
for paper in A4 letter; do
	printed one $paper 2
done
say "a page of 80 nodes: $(wc -c <"$scratch/page.html") bytes, $title"
finish
