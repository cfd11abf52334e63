#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# moment.sh - report --at shows the jobs of a host at a moment, and plot --sum the jobs that caused
# each value
# shellcheck disable=SC2030,SC2031 # one call of at() reads another archive, in a subshell
. "$(dirname "$0")/lib.sh"
archive=$(cd "${srcdir:-.}/tests/report/sum/archive" && pwd) || exit 99

# at TIME...: print start and end of the interval that contains TIME, and the jobs that host n2 had
# in it; or the error
at()
{
	"$bin/nodometer-report" --dir "$archive" --host n2 --json --at "$@" 2>&1 | sed -n \
		's/.*"at":.*"jobs_there":\(\[[^]]*\]\)/\1/
		s/^\(\[[^]]*\]\).*"start":\([0-9.]*\),"end":\([0-9.]*\).*/\2 \3 \1/p
		s/^nodometer report: //p'
}

# is WHAT GOT WANT: fail unless GOT equals WANT
is()
{
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

a='[{"job":"A","user":"ua"}]' b='[{"job":"B","user":"ub"}]'
is 'job A' "$(at @1700000130)" "1700000120.000000 1700000180.000000 $a"
is 'job B' "$(at '2023-11-14 22:19:30')" "1700000360.000000 1700000420.000000 $b"
is 'ISO' "$(at 2023-11-14T22:19:40Z)" "1700000360.000000 1700000420.000000 $b"
is 'another zone' "$(at 2023-11-14T23:19:40+01:00)" "1700000360.000000 1700000420.000000 $b"
is 'the sample itself' "$(at @1700000300)" \
	'1700000300.000000 1700000360.000000 [{"job":"A","user":"ua"},{"job":"B","user":"ub"}]'
is 'too late' "$(at @1700001000)" \
	'the newest sample until then is from 2023-11-14 22:23:20 UTC, and there is none in the '\
'2 days after --at'
mkdir -p "$work/far/n2"
# shellcheck disable=SC2016 # properties, not variables
printf '$hpcperfstats 1.0.2\n$hostname n2\n!vm pgpgin,E\n
1700000000 -\nvm - 1\n\n1700345600 -\nvm - 2\n' >"$work/far/n2/1700000000"
is 'four days before the next sample' "$(archive=$work/far; at @1700000100)" \
	'the newest sample until then is from 2023-11-14 22:13:20 UTC, and there is none in the '\
'2 days after --at'
is 'too early' "$(at @1699999000)" 'the oldest sample within 2 days is from 2023-11-14 22:13:20 UTC'
case $(at yesterday) in
'no records of host n2 '*) ;;
*) fail "yesterday: $(at yesterday)" ;;
esac
"$bin/nodometer-report" --dir "$archive" --at @1700000130 A 2>"$work/said" && fail 'of a job'
grep -q -- '--at needs --host HOST' "$work/said" || fail "of a job: $(cat "$work/said")"
"$bin/nodometer-report" --dir "$archive" --host '*' --at @1700000130 2>"$work/said" &&
	fail 'of several hosts'
grep -q 'needs one host, but the pattern matches 2' "$work/said" ||
	fail "several: $(cat "$work/said")"

# Job A read 60,000 MiB, job B 3,000 MiB, and 300 MiB were read without a job.
"$bin/nodometer-plot" --dir "$archive" --host '*' --sum -o "$work/sum.gp" llite:read_bytes \
	>"$work/who" || fail 'plot --sum'
tr -s ' ' <"$work/who" >"$work/words"
cat >"$work/want" <<'END'

Most of "llite read_bytes", 61.82 GiB in all
 A 94.8 % 58.59 GiB 11-14 22:13:20 to 22:18:20, 2 hosts
 B 4.7 % 2.930 GiB 11-14 22:18:20 to 22:23:20, 1 host
 no job 0.5 % 300.0 MiB 11-14 22:18:20 to 22:23:20, 1 host
END
diff "$work/want" "$work/words" || fail 'who caused it'
# The times of a job that ends after midnight have both dates.
TZ=UTC-1:42 "$bin/nodometer-plot" --dir "$archive" --host '*' --sum -o "$work/night.gp" \
	llite:read_bytes >"$work/night"
tr -s ' ' <"$work/night" | sed -n 's/^ [AB] [0-9.]* % [0-9.]* GiB//p' >"$work/words"
printf ' %s\n' '11-14 23:55 to 11-15 00:00, 2 hosts' '11-15 00:00:20 to 00:05:20, 1 host' |
	diff - "$work/words" || fail 'a job that ends on another day'
awk 'length($0) > 80' "$work/night" | grep . && fail 'lines of more than 80 columns'
if [ -e /dev/full ]; then
	"$bin/nodometer-plot" --dir "$archive" --host '*' --sum -o "$work/sum.gp" \
		llite:read_bytes >/dev/full 2>"$work/said" && fail '/dev/full'
	grep -q 'standard output: No space left' "$work/said" ||
		fail "/dev/full: $(cat "$work/said")"
fi
grep -q 'sum of 2 nodes' "$work/sum.gp" || fail 'the title does not say that it is a sum'
# The sum's rate is 200 MiB/s at first, and 11 MiB/s later.
values=$(sed -n 's/^[0-9.]* \([0-9.]*\).*/\1/p' "$work/sum.gp" | sort -u | tr '\n' ' ')
case $values in
*11*200*) ;;
*) fail "the sum: $values" ;;
esac
exit $failed
