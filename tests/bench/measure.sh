# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# measure.sh - how bench.sh measures, adds up and prints; sourced by it

declare -A values rss walls missing
TIMEFORMAT='%U %S'

# each_line TABLE FUNCTION: calls it with the |-separated cells of each line, blanks around cut off
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

# run_time PID: ns that it, its threads and its children have run
run_time()
{
	local pid
	for pid in "$1" $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		cat /proc/"$pid"/task/*/schedstat 2>/dev/null
	done | awk '{ ns += $1 } END { printf "%.0f\n", ns }'
}

# start COMMAND...: in the background, its pid in $running; fails if it ends within SETTLE seconds
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

# client [COMMAND]: runs beside what start() began, and ends with it
client()
{
	[ -n "$1" ] || return
	$1 >/dev/null 2>&1 &
	running+=" $!"
}

# shellcheck disable=SC2086 # pids
stop()
{
	kill $running 2>/dev/null
	wait $running 2>/dev/null
	running=
}

# Each of these prints nothing but sets $us, or fails.
measure_loop()
{
	local ns
	ns=$($1 2>"$tmp/log") && us=$(awk -v ns="$ns" 'BEGIN { printf "%.1f", ns / 1000 }')
}

measure_agent()
{
	local before after pid
	# shellcheck disable=SC2086 # a command line
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

# The user and system seconds that `time` printed, of N runs, as us of one
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

# absent COMMAND: why it cannot be run
absent()
{
	case $1 in
	./* | tests/*) echo 'not built' ;;
	*) echo 'not installed' ;;
	esac
}

# measure NAME HOW COMMAND [POKE]: one row of one round
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

# median NAME, or nothing
median()
{
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "${values[$1]:-}" ] || printf '%s\n' ${values[$1]} | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

p99_ms()
{
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "${walls[$1]:-}" ] || printf '%s\n' ${walls[$1]} | sort -n |
		awk '{ v[NR] = $1 } END { printf "%.1f", v[int(NR * 0.99)] / 1000 }'
}

print_row()
{
	printf '%-22s %12s %12s\n' "$1" "${missing[$1]:-$(median "$1")}" "${rss[$1]:--}"
}

# ratios A B: of each round, a line each, sorted
ratios()
{
	awk -v a="${values[$1]:-}" -v b="${values[$2]:-}" 'BEGIN {
		n = split(a, x, " ")
		if (split(b, y, " ") == n)
			for (i = 1; i <= n; i++)
				print x[i] / y[i]
	}' | sort -n
}

# print_ratio A B BAR: the median of the rounds, the least and the most
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

# The program's own, not those of a child: it ends last.
instructions()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null $1 2>&1 >/dev/null |
		awk '/Collected *:/ { n = $NF } END { print n }'
}

# [few=N many=N] difference COUNTER COMMAND: per sample, start-up taken away by counting two runs
difference()
{
	local few=${few:-2} many=${many:-7} a b
	a=$("$1" "${2//%n/$few}")
	b=$("$1" "${2//%n/$many}")
	[ -n "$a" ] && [ -n "$b" ] && echo $(((b - a) / (many - few)))
}

# verdict VALUE BAR
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

# faults COMMAND: page faults
faults()
{
	local gnu_time
	# shellcheck disable=SC2086 # a command line
	gnu_time=$(type -P time) && "$gnu_time" -o "$tmp/faults" -f '%R %F' $1 >/dev/null 2>&1 &&
		awk '{ print $1 + $2 }' "$tmp/faults"
}

# relocations PROGRAM, libraries PROGRAM: the work of the dynamic loader
relocations() { LC_ALL=C readelf -rW "$1" | grep -c '^[0-9a-f]\{8,16\}'; }
libraries() { LC_ALL=C readelf -d "$1" | grep -c '(NEEDED)'; }

# print_process NAME COMMAND: the counts of a whole process
print_process()
{
	local c n f
	c=$(calls "$2")
	n=$(instructions "$2")
	f=$(faults "$2")
	printf '%-22s %14s %12s %14s %12s %10s\n' "$1" "${c:--}" "${f:--}" "${n:--}" \
		"$(relocations "${2%% *}")" "$(libraries "${2%% *}")"
}

# make_big FILE [ROOT]: write 50 MB of record groups like those of this machine, or of the tree
# ROOT, one a second, and compress the same as FILE.zst. Counters that have ever counted continue to
# count, so that the file compresses like a real one and not like a repetition.
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
