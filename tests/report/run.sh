#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - run nodometer report and plot on small archives:
# tests/report/CASE/{archive,args,expected}
#
# "expected" has the output of report, including errors, and its exit status. If there is a file
# "plot" or "plot-...", "expected-plot..." has the output of plot with the arguments in this file;
# with "-o -", this is a program for gnuplot. UPDATE=1 writes the expected files again. If gnuplot
# is installed, it runs the programs.

src=$(cd "${srcdir:-.}/tests/report" && pwd) || exit 99
report=$(pwd)/nodometer-report
plot=$(pwd)/nodometer-plot
work=$(mktemp -d) || exit 99
out=$work/out
trap 'rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C
unset JOURNAL_STREAM
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# compare CASE EXPECTED PROGRAM ARGUMENT...: in the folder of CASE, compare the output of PROGRAM
# with the file EXPECTED
compare()
{
	expected=$2
	cd "$src/$1" || exit 99
	shift 2
	"$@" >"$out" 2>&1
	echo "exit $?" >>"$out"
	if [ "${UPDATE:-0}" = 1 ]; then
		cp "$out" "$expected"
	fi
	diff -u "$expected" "$out" || fail "${PWD##*/}: $expected"
}

for args in "$src"/*/args; do
	dir=${args%/args}
	# shellcheck disable=SC2046 # the words of the file are the arguments
	compare "${dir##*/}" expected "$report" $(cat "$args")
	awk '!/^nodometer report: |^{/ && length > 80 { print; bad = 1 } END { exit bad }' "$out" ||
		fail "${dir##*/}: longer than 80 columns"
done

drawn=0
for args in "$src"/*/plot "$src"/*/plot-*; do
	dir=${args%/plot*}
	# shellcheck disable=SC2046
	compare "${dir##*/}" "expected-${args##*/}" "$plot" $(cat "$args")
	case $(cat "$args") in
	*'-o -'*) ;;
	*) continue ;;
	esac
	if ! command -v gnuplot >/dev/null || ! grep -qx 'exit 0' "$out"; then
		continue
	fi
	cd "$work" || exit 99
	sed '$d' out >program
	gnuplot -d program >picture.png 2>said || fail "gnuplot on ${dir##*/}: $(cat said)"
	[ ! -s said ] || fail "gnuplot on ${dir##*/} says $(cat said)"
	[ "$(head -c 4 picture.png | tail -c 3)" = PNG ] || fail "no PNG of ${dir##*/}"
	[ "$(find . -type f | wc -l)" = 4 ] || fail "${dir##*/} made other files: $(ls)"
	drawn=$((drawn + 1))
done

# If gnuplot is missing, fails or is killed, plot reports an error and leaves no file.
mkdir "$work/bin" "$work/to"
broken()
{
	PATH=$work/bin "$plot" 42 --dir "$src/uneven/archive" -o "$work/to/job.png" >"$out" 2>&1 &&
		fail "$1: plot says it was drawn"
	grep -q -- "$2" "$out" || fail "$1: $(cat "$out")"
	[ -z "$(ls -A "$work/to")" ] || fail "$1: left $(ls -A "$work/to")"
}
broken 'no gnuplot' 'install package gnuplot-nox'
printf '#!/bin/sh\necho half; echo "line 3: bad word" >&2; exit 1\n' >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
broken 'gnuplot fails' 'gnuplot: line 3: bad word'
# shellcheck disable=SC2016 # for that shell
printf '#!/bin/sh\nkill -9 $$\n' >"$work/bin/gnuplot"
broken 'gnuplot is killed' 'ended by signal 9'
"$plot" 42 --dir "$src/uneven/archive" -o - >/dev/full 2>"$out" && fail 'a full disk is not seen'
grep -q 'No space left' "$out" || fail "a full disk: $(cat "$out")"

if [ $drawn = 0 ]; then
	echo 'no gnuplot: programs for it compared, nothing drawn'
	exit $failed
fi
cd "$work/to" || exit 99
for as in png svg pdf; do
	"$plot" 42 --dir "$src/uneven/archive" -o job.$as >"$out" 2>&1 || fail "$as: $(cat "$out")"
done
[ "$(find . -type f | sort | tr '\n' ' ')" = './job.pdf ./job.png ./job.svg ' ] ||
	fail "pictures: $(find . -type f)"
[ "$(head -c 5 job.pdf)" = %PDF- ] || fail 'no PDF'
# Bytes 16 to 19 of a PNG are its width: 1240.
[ "$(od -An -tx1 -j16 -N4 job.png | tr -d ' ')" = 000004d8 ] || fail 'the PNG is not 1240 wide'
for title in 'Job 42' 'Memory used'; do
	grep -q "$title" job.svg || fail "not in the SVG: $title"
done
"$plot" 42 --dir "$src/uneven/archive" >"$out" 2>&1 || fail "text: $(cat "$out")"
grep -q 'Memory used' "$out" || fail "text: $(cat "$out")"
! awk 'length > 80' "$out" | grep . || fail 'text: longer than 80 columns'

# gnuplot must not expand anything in names.
cd "$work" || exit 99
evil="j'@{/:Bold}%s\"\`touch\${IFS}pwned\`\\n"
host="h'\`touch pwned\`"
mkdir -p "hostile/$host"
# shellcheck disable=SC2016 # properties, not variables
{
	printf '$hpcperfstats 1.0.2\n$hostname h\n$uname Linux x86_64 6.1.0\n$uptime 1000\n'
	printf '!t%s k%s,E\n' "'x" "'.system('touch\${IFS}pwned').'"
	for t in 0 1 2; do
		printf '\n%s %s\nt%s d %s\n' $((1700000000 + 60 * t)) "$evil" "'x" $((t * t))
	done
} >"hostile/$host/1700000000"
"$plot" "$evil" --dir hostile -o hostile.svg "t'x" >"$out" 2>&1 || fail "hostile: $(cat "$out")"
[ ! -e pwned ] || fail 'a name was run as a command'
for word in "h'\`touch pwned\`" "t'x k'.system('touch" \
	"Job j'@{/:Bold}%s\"\`touch\${IFS}pwned\`\\"; do
	sed "s/&apos;/'/g; s/&quot;/\"/g" hostile.svg | grep -qF -- "$word" ||
		fail "not as it is in the SVG: $word"
done
echo "$drawn programs drawn by gnuplot"
exit $failed
