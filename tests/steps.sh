# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# steps.sh - run the steps of a long run, keep the output of each step, and sum up the results
#
# run-tests sources this file with $log set to an empty folder. Steps may run at the same time. The
# files of a step in $log are NAME (its output), NAME.row (its line of the summary), NAME.sums,
# NAME.skips and NAME.times (CPU time); after a failure also NAME.again (the command) and NAME.first
# (the first output).
#
# To end in time on a slow machine, no step begins later than $MINUTES minutes (50; 0: no limit)
# after $began, and a step that is still running 20 minutes later is killed. Such a step neither
# passed nor failed, and the summary names it. The last 15 minutes are for repeating failed steps.
minutes=${MINUTES:-50} rest=20 repeats=15 again=

# sum KINDS FILE...: add the numbers in automake's lines of these kinds, such as "# PASS: 12"
sum()
{
	kinds=$1
	shift
	cat "$@" 2>/dev/null | awk -v kinds=" $kinds " '
		$1 == "#" && index(kinds, " " $2 " ") { n += $3 }
		END { print n + 0 }'
}

# failed FILE: print the tests that failed, from the lines of automake, of package builds and of
# tests in FILE
failed() { sed -n 's/^\(FAIL\|ERROR\|XPASS\): \(.*\)/\2/p' "$1" | cut -c -100 | awk '!seen[$0]++'; }

# named FILE STEP: print a line for the summary: STEP and the tests that failed by its output FILE
named() { echo "$2 $(failed "$1" | head -n 8 | paste -sd ';')" | sed 's/ $//; s/ /: /; s/;/; /g'; }

# reason TEST LOG: print TEST with its last message before it skipped, or alone if it has no log
reason()
{
	grep -v '^SKIP [^ ]* (exit status' "$2" 2>/dev/null | grep -v '^ *$' | tail -n 1 |
		sed "s|^[Ss][Kk][Ii][Pp][a-z]*: *||; s|^|$1: |" | grep . || echo "$1"
}

# skips NAME FOLDER: print a line for each test that the step NAME skipped, and for each skipped
# part of a unit test
skips()
{
	sed -n 's/^SKIP: //p' "$log/$1" | sort -u | while read -r test; do
		reason "$test" "$2/${test%.sh}.log"
	done
	find "$2" -name '*.log' -path '*/tests/unit/*' -exec awk '
		/^skipped: /       { why = ": " substr($0, 10) }
		/^\[ RUN/          { why = "" }
		/^\[  SKIPPED \] [a-z_0-9]+$/ && !seen[$4]++ { print $4 why; why = "" }
	' {} +
}

# show NAME FOLDER: print the output of step NAME and the logs of its failed tests
show()
{
	cat "$log/$1"
	[ "$2" = . ] || find "$2" -name test-suite.log -exec cat {} +
}

# cpu_seconds FILE...: print the sum of the CPU times of children in these outputs of the shell's
# times(1), in seconds
cpu_seconds()
{
	awk -F '[ms ]+' 'FNR == 2 { n += 60 * ($1 + $3) + $2 + $4 }
		END { printf "%.1f\n", n }' "$@" /dev/null
}

# seconds_left MINUTES: print the seconds left until MINUTES minutes after the start of the run
seconds_left() { echo $((began + $1 * 60 - $(date +%s))); }

# finish_step NAME FOLDER STATUS LIMIT SECONDS: write row, sums and skips of a step, and print its
# output if it failed. A lock prevents that outputs of several steps mix.
finish_step()
{
	case $3 in
	0) result="PASS${again:+ (unstable: it failed, then passed twice alone)}" counts='1 0 0' ;;
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

# leave_step NAME WHY: for a step that was not run, write its row, and a line for the summary
leave_step()
{
	printf '%-24s NOT DONE\n' "$1" >"$log/$1.row"
	echo "$1: $2" >"$log/$1.left"
	rm "$log/$1.again"
}

# step NAME FOLDER SECONDS COMMAND...: run COMMAND in FOLDER for at most SECONDS, count the tests in
# its output, and print the output if it fails
step()
{
	printf '%s\n' "$@" >"$log/$1.again"
	name=$1 dir=$2 seconds=$3 most=$3
	shift 3
	[ "$minutes" = 0 ] || {
		[ "$again" ] || [ "$(seconds_left "$minutes")" -gt 0 ] ||
			{ leave_step "$name" "not begun, as $minutes min were over"; return 0; }
		most=$(seconds_left $((minutes + rest + ${again:-0} * repeats)))
		[ "$most" -le "${seconds%.*}" ] || most=$seconds
	}
	printf '%s ...\n' "$name"
	started=$(date +%s)
	(	# times(1) here counts only the step's children
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

# is_check OUTPUT AGAIN: succeed if these two files of a step show that it is a "make check"
is_check() { grep -q '^# TOTAL:' "$1" && sed -n 4p "$2" | grep -qx make; }

# failed_steps: print the names of the failed steps, first those that are repeated in the shortest
# time. Of a "make check", only the failed tests are repeated.
failed_steps()
{
	for kept in "$log"/*.again; do
		[ -e "$kept" ] || return 0
		kept=${kept%.again}
		if is_check "$kept" "$kept.again"; then
			echo "0 ${kept##*/}"
		else
			sed 's/^\([^ ]*\) .*, \([0-9]*\) s, CPU time.*/\2 \1/' "$kept.row"
		fi
	done | sort -n | cut -d ' ' -f 2
}

# failed_again: repeat each failed step twice, alone. It counts as passed if it passes both times.
# If more than ten steps failed, a busy machine is not the cause, so repeat none.
failed_again()
{
	# shellcheck disable=SC2046 # names without blanks
	set -- $(failed_steps)
	[ $# -le 10 ] || return 0
	for kept; do
		[ "$minutes" = 0 ] || [ "$(seconds_left $((minutes + rest + repeats)))" -gt 600 ] ||
			return 0
		IFS='
'
		set -f
		# shellcheck disable=SC2046 # one word a line
		set -- $(cat "$log/$kept.again")
		set +f
		unset IFS
		again_alone "$@"
	done
}

# again_alone NAME FOLDER SECONDS COMMAND...: repeat one failed step twice
again_alone()
{
	mv "$log/$1" "$log/$1.first"
	name=$1 dir=$2 seconds=$3
	shift 3
	if is_check "$log/$name.first" "$log/$name.again"; then
		some=$(sed -n 's/^\(FAIL\|ERROR\|XPASS\): \([^ ]*\).*/\2/p' "$log/$name.first" |
			sort -u | tr '\n' ' ')
		set -- "$@" -j1 GATES= check_PROGRAMS= TESTS="$some"
	else
		sed -i '/^# [A-Z]*:/d' "$log/$name.first"	# the next run counts all tests
	fi
	again=1
	# shellcheck disable=SC2016 # the inner shell expands it
	step "$name" "$dir" "$seconds" sh -c 'log=$1; shift
		"$@" && { "$@" >"$log" 2>&1 || { sed "/^# [A-Z]*:/d" "$log"; exit 1; }; }' \
		twice "$log/$name.second" "$@"
	again=
}

# lines TITLE FILE...: print the lines of these files below TITLE, for the summary
lines()
{
	title=$1
	shift
	cat "$@" 2>/dev/null | sort | uniq | sed "1i\\
\\
$title:
		s/^/  /"
}

# summary: print skips with reasons, steps that were not done, failures, the slowest steps, and the
# sums. Returns 0 if nothing failed.
summary()
{
	lines Skipped "$log"/*.skips
	lines "Not done (MINUTES=0 ./run-tests --full: all, however long it takes)" "$log"/*.left
	for first in "$log"/*.first; do
		[ ! -e "$first" ] || named "$first" "$(basename "$first" .first)"
	done >"$log/once"
	lines 'Unstable or failed: they failed beside other steps' "$log/once"
	grep -l ' FAIL (' "$log"/*.row | while read -r row; do
		named "${row%.row}" "$(basename "$row" .row)"
	done >"$log/wrong"
	lines Failed "$log/wrong"
	printf '\nAll steps took %s s of CPU time on %d CPUs. The slowest:\n' \
		"$(cpu_seconds "$log"/*.times)" "$(nproc)"
	cat "$log"/*.row | sed 's/.*, \([0-9]*\) s, CPU time/\1 &/' | sort -rn | head -n 10 |
		sed 's/^[0-9]* /  /'
	awk '{ p += $1; f += $2; s += $3 }
		END { printf "\n%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$log"/*.sums
}
