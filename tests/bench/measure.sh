# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# measure.sh - measure programs, and add up and print the results; sourced by bench.sh

declare -A values rss walls missing
TIMEFORMAT='%U %S'

# each_line TABLE FUNCTION: call FUNCTION for each line of TABLE. Its arguments are the cells of the
# line, which | separates, without surrounding blanks.
each_line()
{
	local line cell
	while IFS= read -r line; do
		[ -n "$line" ] || continue
		IFS='|' read -ra cell <<<"$line"
		for i in "${!cell[@]}"; do
			read -r cell[i] <<<"${cell[i]}"
		done
		"$2" "${cell[@]}"
	done <<<"$1"
}

# run_time PID: print the CPU time of a process, its threads and its children, in ns
run_time()
{
	local pid
	for pid in "$1" $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		cat /proc/"$pid"/task/*/schedstat 2>/dev/null
	done | awk '{ ns += $1 } END { printf "%.0f\n", ns }'
}

# start COMMAND...: run the command in the background, and set $running to its process id. Fails if
# the command ends within SETTLE (2) seconds.
settle=${SETTLE:-2}
start()
{
	"$@" >"$tmp/log" 2>&1 &
	running=$!
	sleep "$settle"
	kill -0 "$running" 2>/dev/null && return 0
	running=
	return 1
}

# client [COMMAND]: if a client is given, run it in the background until stop()
client()
{
	[ -n "$1" ] || return
	$1 >/dev/null 2>&1 &
	running+=" $!"
}

# shellcheck disable=SC2086 # process ids to split
stop()
{
	kill $running 2>/dev/null
	wait $running 2>/dev/null
	running=
}

# Each measure_HOW() measures a row of `rows`: it sets $us to the CPU time in us, or fails.
measure_loop()
{
	local ns
	ns=$($1 2>"$tmp/log") && us=$(awk -v ns="$ns" 'BEGIN { printf "%.1f", ns / 1000 }')
}

measure_agent()
{
	local before after pid
	# shellcheck disable=SC2086 # a command line to split
	start $1 || return 1
	pid=$running
	client "$2"
	before=$(run_time "$pid")
	sleep "$seconds"
	after=$(run_time "$pid")
	rss[$name]=$(awk '$1 == "VmRSS:" { print $2 }' /proc/"$pid"/status)
	stop
	us=$(awk -v ns="$((after - before))" -v n="$seconds" 'BEGIN { printf "%.1f", ns / n / 1000 }')
}

# per_run N: from the output of `time` for N runs, print the CPU time of one run in us
per_run()
{
	awk -v n="$1" 'END { printf "%.1f", ($1 + $2) * 1000000 / n }' "$tmp/time"
}

measure_each()
{
	local n=100 begun ended
	start ./nodometerd --foreground --config "$tmp/nodometer.conf" || return 1
	{ time for ((i = 0; i < n; i++)); do
		begun=${EPOCHREALTIME/./}
		$1 >/dev/null 2>&1
		ended=${EPOCHREALTIME/./}
		walls[$name]+=" $((ended - begun))"
	done; } 2>"$tmp/time"
	stop
	us=$(per_run "$n")
}

measure_once()
{
	[ -s "$tmp/big" ] || return 1
	{ time $1 >/dev/null 2>"$tmp/log"; } 2>"$tmp/time" || return 1
	us=$(per_run 1)
}

# absent COMMAND: print why the command is missing
absent()
{
	case $1 in
	./* | tests/*) echo 'not built' ;;
	*) echo 'not installed' ;;
	esac
}

# measure NAME HOW COMMAND [CLIENT]: measure one row in one round
measure()
{
	local name=$1 us
	[ -z "${missing[$1]:-}" ] || return 0
	if ! command -v "${3%% *}" >/dev/null; then
		missing[$1]=$(absent "$3")
	elif "measure_$2" "$3" "${4:-}"; then
		values[$1]+=" $us"
	else
		missing[$1]='failed'
		echo "$1: failed: $(tail -n 1 "$tmp/log")" >&2
	fi
}

# median NAME: print the median of a row's values, or nothing if there are none
median()
{
	# shellcheck disable=SC2086 # numbers to split
	[ -z "${values[$1]:-}" ] || printf '%s\n' ${values[$1]} | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

p99_ms()
{
	# shellcheck disable=SC2086 # numbers to split
	[ -z "${walls[$1]:-}" ] || printf '%s\n' ${walls[$1]} | sort -n |
		awk '{ v[NR] = $1 } END { printf "%.1f", v[int(NR * 0.99)] / 1000 }'
}

print_row()
{
	printf '%-22s %12s %12s\n' "$1" "${missing[$1]:-$(median "$1")}" "${rss[$1]:--}"
}

# ratios A B: print A/B for each round, sorted, one per line
ratios()
{
	awk -v a="${values[$1]:-}" -v b="${values[$2]:-}" 'BEGIN {
		n = split(a, x, " ")
		if (split(b, y, " ") == n)
			for (i = 1; i <= n; i++)
				print x[i] / y[i]
	}' | sort -n
}

# print_ratio A B LIMIT: print median, smallest and largest ratio of the rounds
print_ratio()
{
	ratios "$1" "$2" | awk -v what="$1" -v to="$2" -v bar="$3" '
	{ v[NR] = $1 }
	END {
		if (NR == 0) {
			printf "%-22s %-22s %8s %8s %8s %8s\n", what, to, "-", "-", "-", bar
			exit
		}
		is = v[int((NR + 1) / 2)]
		printf "%-22s %-22s %8.2f %8.2f %8.2f %8s  %s\n", what, to, is, v[1], v[NR], bar,
			is <= bar ? "held" : "MISSED"
	}'
}

calls()
{
	strace -f -c -U calls,name -o "$tmp/calls" $1 >/dev/null 2>&1 &&
		awk '$NF == "total" { print $1 }' "$tmp/calls"
}

# instructions COMMAND: print how many instructions the program executes. Valgrind prints this count
# last, because the program's children end, and print their counts, before the program.
instructions()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null $1 2>&1 >/dev/null |
		awk '/Collected *:/ { n = $NF } END { print n }'
}

# [few=N many=N] difference COUNTER COMMAND: print the count per sample. COMMAND runs with few
# samples and with many, and the difference of the counts leaves out the cost of the start.
difference()
{
	local few=${few:-2} many=${many:-7} a b
	a=$("$1" "${2//%n/$few}")
	b=$("$1" "${2//%n/$many}")
	[ -n "$a" ] && [ -n "$b" ] && echo $(((b - a) / (many - few)))
}

# verdict VALUE LIMIT: print whether the value is within the limit
verdict()
{
	[ -n "$2" ] || return
	[ "$1" -le "$2" ] 2>/dev/null && echo "$2 held" || echo "$2 MISSED"
}

print_counts()
{
	local c n=''
	c=$(absent "$2")
	if command -v "${2%% *}" >/dev/null; then
		c=$(difference calls "$2")
		n=$(difference instructions "$2")
	fi
	printf '%-22s %14s %12s %14s %14s\n' "$1" "${c:--}" "$(verdict "$c" "${3:-}")" "${n:--}" \
		"$(verdict "$n" "${4:-}")"
}

# faults COMMAND: print the command's number of page faults
faults()
{
	local gnu_time
	# shellcheck disable=SC2086 # a command line to split
	gnu_time=$(type -P time) && "$gnu_time" -o "$tmp/faults" -f '%R %F' $1 >/dev/null 2>&1 &&
		awk '{ print $1 + $2 }' "$tmp/faults"
}

# relocations PROGRAM: print the number of relocations that the dynamic loader must apply
# libraries PROGRAM: print the number of libraries that the program must load
relocations() { LC_ALL=C readelf -rW "$1" | grep -c '^[0-9a-f]\{8,16\}'; }
libraries() { LC_ALL=C readelf -d "$1" | grep -c '(NEEDED)'; }

# print_process NAME COMMAND: print the counts of a whole process
print_process()
{
	local c n f
	c=$(calls "$2")
	n=$(instructions "$2")
	f=$(faults "$2")
	printf '%-22s %14s %12s %14s %12s %10s\n' "$1" "${c:--}" "${f:--}" "${n:--}" \
		"$(relocations "${2%% *}")" "$(libraries "${2%% *}")"
}

# make_big FILE [ROOT]: write 50 MB of record groups, one per second, modelled on a sample of this
# machine or of the tree ROOT; write a compressed copy to FILE.zst. Counters that are not 0 grow at
# random, so that the file compresses like a real one.
make_big()
{
	./nodometer collect --stdout --root "${2:-/}" --config "$tmp/nodometer.conf" >"$tmp/one" \
		2>"$tmp/log" || return
	awk '
	/^$/ { body = 1; next }
	!body { print; next }
	body == 1 { time = int($1); body = 2; next }
	{ row[++rows] = $0; last[rows] = $1 == "nodometer" ? 0 : split($0, word, " ") }
	{ for (k = 1; k <= last[rows]; k++) cell[rows, k] = word[k] }
	END {
		for (bytes = 0; bytes < 50000000; ) {
			printf "\n%d -\n", time++
			for (r = 1; r <= rows; r++) {
				line = last[r] ? cell[r, 1] " " cell[r, 2] : row[r]
				for (k = 3; k <= last[r]; k++) {
					v = cell[r, k] + 0
					if (v > 0 && v < 1e15)
						cell[r, k] = sprintf("%.0f", v + int(rand() * 1000))
					line = line " " cell[r, k]
				}
				print line
				bytes += length(line) + 1
			}
		}
	}' "$tmp/one" >"$1"
	zstd -q "$1" -o "$1.zst"
}
