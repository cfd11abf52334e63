# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# steps.sh - the steps of a long run: the output of each is kept, shown if it fails, and summed up
#
# run-tests sources this with $log, an empty folder.  Steps may run side by side: what each leaves are
# files there: NAME (its output), NAME.row (its line of the table), NAME.sums, NAME.skips, NAME.times
# (what its processes took of the CPU); of a step that failed, NAME.again (what it does) and, while that is done once more, NAME.first (its first output).
#
# A machine several times slower than usual does what comes first: no step begins $MINUTES (55; 0: no
# limit) after $began, and none goes on for 25 minutes more.  That is neither passed nor failed; the
# summary names it.
minutes=${MINUTES:-55} rest=25 again=

# sum KINDS FILE...: adds up automake's "# PASS: 12" lines of these kinds
sum()
{
	kinds=$1
	shift
	cat "$@" 2>/dev/null | awk -v kinds=" $kinds " '
		$1 == "#" && index(kinds, " " $2 " ") { n += $3 }
		END { print n + 0 }'
}

# failed FILE: the tests that failed there, as automake says it, here or in a build of packages, and
# what a test says of itself
failed() { sed -n 's/^\(FAIL\|ERROR\|XPASS\): \(.*\)/\2/p' "$1" | cut -c -100 | awk '!seen[$0]++'; }

# named FILE STEP: a line for the summary: a step that failed, and its tests that did
named() { echo "$2 $(failed "$1" | head -n 8 | paste -sd ';')" | sed 's/ $//; s/ /: /; s/;/; /g'; }

# reason TEST LOG: the last that a test said before it skipped, or where nothing is kept
reason()
{
	grep -v '^SKIP [^ ]* (exit status' "$2" 2>/dev/null | grep -v '^ *$' | tail -n 1 |
		sed "s|^[Ss][Kk][Ii][Pp][a-z]*: *||; s|^|$1: |" | grep . || echo "$1"
}

# skips NAME FOLDER: one line for each test of a check there that skipped, or a unit test's part
skips()
{
	sed -n 's/^SKIP: //p' "$log/$1" | sort -u | while read -r test; do
		reason "$test" "$2/$test.log"
	done
	find "$2" -name '*.log' -path '*/tests/unit/*' -exec awk '
		/^skipped: /       { why = ": " substr($0, 10) }
		/^\[ RUN/          { why = "" }
		/^\[  SKIPPED \] [a-z_0-9]+$/ && !seen[$4]++ { print $4 why; why = "" }
	' {} +
}

# show NAME FOLDER: what the step said, and what its failed tests said
show()
{
	cat "$log/$1"
	[ "$2" = . ] || find "$2" -name test-suite.log -exec cat {} +
}

# cpu_seconds FILE...: the CPU time of children in what times(1) of a shell said
cpu_seconds()
{
	awk -F '[ms ]+' 'FNR == 2 { n += 60 * ($1 + $3) + $2 + $4 }
		END { printf "%.1f\n", n }' "$@" /dev/null
}

# seconds_left MINUTES: until so long after the beginning
seconds_left() { echo $((began + $1 * 60 - $(date +%s))); }

# finish_step NAME FOLDER STATUS LIMIT SECONDS: its row, sums and skips, and its output if it failed,
# which is not mixed with that of another
finish_step()
{
	case $3 in
	0) result="PASS${again:+ (alone, after it failed)}" counts='1 0 0' ;;
	77) result="SKIP ($(reason '' "$log/$1" | sed 's/^: //'))" counts='0 0 1' ;;
	124 | 137) result="FAIL (not done after $4 s)" counts='0 1 0' ;;
	*) result="FAIL (status $3)" counts='0 1 0' ;;
	esac
	case $result in FAIL*) (flock 9; show "$1" "$2") 9>"$log/shown" ;; esac
	[ "$3" != 77 ] || reason "$1" "$log/$1" >"$log/$1.skips"
	! grep -q '^# TOTAL:' "$log/$1" || skips "$1" "$2" >"$log/$1.skips"
	printf '%-24s %s, %d s, CPU time %s s\n' "$1" "$result" "$5" \
		"$(cpu_seconds "$log/$1.times")" >"$log/$1.row"
	printf '%s\n%d %d %d\n' "$counts" "$(sum 'PASS: XFAIL:' "$log/$1.first" "$log/$1")" \
		"$(sum 'FAIL: XPASS: ERROR:' "$log/$1")" \
		"$(sum 'SKIP:' "$log/$1.first" "$log/$1")" >"$log/$1.sums"
}

# leave_step NAME WHY: its row, and a line for the summary
leave_step()
{
	printf '%-24s NOT DONE\n' "$1" >"$log/$1.row"
	echo "$1: $2" >"$log/$1.left"
	rm "$log/$1.again"
}

# step NAME FOLDER SECONDS COMMAND...: runs it there, counts the tests it reports; shows a failure
step()
{
	printf '%s\n' "$@" >"$log/$1.again"
	name=$1 dir=$2 seconds=$3 most=$3
	shift 3
	[ "$minutes" = 0 ] || {
		[ "$again" ] || [ "$(seconds_left "$minutes")" -gt 0 ] ||
			{ leave_step "$name" "not begun, as $minutes min were over"; return 0; }
		most=$(seconds_left $((minutes + rest)))
		[ "$most" -le "${seconds%.*}" ] || most=$seconds
	}
	printf '%s ...\n' "$name"
	started=$(date +%s)
	(	# its children are those of the step alone
		cd "$dir" || exit
		timeout -k 10 "$most" "$@"
		status=$?
		times >"$log/$name.times"
		exit $status
	) >"$log/$name" 2>&1 </dev/null
	status=$?
	case $status in
	124 | 137)
		[ "$again" ] || [ "$most" = "$seconds" ] || grep -q '^FAIL' "$log/$name" || {
			leave_step "$name" "ended, as $((minutes + rest)) min were over"
			return
		}
		;;
	esac
	finish_step "$name" "$dir" $status "$seconds" $(($(date +%s) - started))
	case $status in 0 | 77) rm "$log/$name.again" ;; esac
}

# failed_again: each step that failed, once more, now that nothing runs beside it; of a check, the tests
# that failed.  That tells a limit of time on a busy machine from a fault, which fails again; the
# summary names the step in either case.  Where more than ten failed, it is no matter of time.
failed_again()
{
	set -- "$log"/*.again
	[ -e "$1" ] && [ $# -le 10 ] || return 0
	for kept; do
		[ "$minutes" = 0 ] || [ "$(seconds_left $((minutes + 15)))" -gt 0 ] || return 0
		IFS='
'
		set -f
		# shellcheck disable=SC2046 # one word a line
		set -- $(cat "$kept")
		set +f
		unset IFS
		again_alone "$@"
	done
}

# again_alone NAME FOLDER SECONDS COMMAND...: one of them
again_alone()
{
	mv "$log/$1" "$log/$1.first"
	if grep -q '^# TOTAL:' "$log/$1.first" && [ "$4" = make ]; then
		for word; do
			shift
			case $word in check) word=recheck ;; -j*) word=-j1 ;; esac
			set -- "$@" "$word"
		done
	else
		sed -i '/^# [A-Z]*:/d' "$log/$1.first"	# all of it is counted again
	fi
	again=1
	step "$@"
	again=
}

# lines TITLE FILE...: of the summary, what these files hold below a title
lines()
{
	title=$1
	shift
	cat "$@" 2>/dev/null | sort | uniq | sed "1i\\
\\
$title:
		s/^/  /"
}

# summary: the table, the skips with their reasons, what was not done, the sums; 0 if nothing failed
summary()
{
	echo
	# shellcheck disable=SC2012 # names of steps; in the order in which they ended
	ls -rt "$log"/*.row | xargs cat
	lines Skipped "$log"/*.skips
	lines "Not done (MINUTES=0 ./run-tests: all, however long it takes)" "$log"/*.left
	for first in "$log"/*.first; do
		[ ! -e "$first" ] || named "$first" "$(basename "$first" .first)"
	done >"$log/once"
	lines 'Failed beside other steps' "$log/once"
	grep -l ' FAIL (' "$log"/*.row | while read -r row; do
		named "${row%.row}" "$(basename "$row" .row)"
	done >"$log/wrong"
	lines Failed "$log/wrong"
	echo
	echo "CPU time of all steps: $(cpu_seconds "$log"/*.times) s, on $(nproc) CPUs"
	awk '{ p += $1; f += $2; s += $3 }
		END { printf "\n%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$log"/*.sums
}
