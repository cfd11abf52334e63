#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - sinks by HTTP and TCP beside servers that lie, hang, are full or are not who they say
packages='python3 openssl zstd'
namespaces='--net --mount --map-root-user'
. "$(dirname "$0")/../lib.sh"
grep -q '^#define HAVE_CURL' "$bin/config.h" && grep -q '^#define HAVE_ZSTD' "$bin/config.h" ||
	skip 'built without libcurl or libzstd'
ip link set lo up || skip 'no network namespace'
host=n1.example.org

# record TIME N: its values depend on N
record()
{
	printf '\n%s 7\ncpu 0 %s %s\nmem 0 1000 %s\nnodometer - 1 1 3 0\n' "$1" "$2" $(($2 * 2)) \
		"$2"
}
at=1700000000 n=0
records()	# HOW-MANY: more of them
{
	for _ in $(seq "$1"); do
		at=$((at + 10)) n=$((n + 1))
		record $at $n
	done >>"$raw"
}

mkdir -p "$scratch/http" "$scratch/archived" "$scratch/tls" "$scratch/expired"
certificate good
expired_certificate old

sending $host <<X
[sink http]
url = http://127.0.0.1:18460/write
format = jsonl
rate = 100000
[sink http tls]
url = https://localhost:18461/write
ca-file = $scratch/good.pem
format = jsonl
compress = no
rate = 100000
[sink archive]
url = http://127.0.0.1:18462
open-interval = 0
[sink http expired]
url = https://localhost:18463/write
ca-file = $scratch/old.pem
[sink http nobody]
url = http://nowhere.invalid/write
X
serve()	# NAME PORT [CERTIFICATE]
{
	echo ok >"$scratch/$1.mode"
	background python3 "$here/nasty.py" "$2" "$scratch/$1.mode" "$scratch/$1" \
		${3:+"$scratch/$3.pem" "$scratch/$3.key"} 2>"$scratch/$1.err"
}
serve http 18460
serve tls 18461 good
serve archived 18462
serve expired 18463 old
all() { for s in http tls archived; do echo "$1" >"$scratch/$s.mode"; done; }

status() { "$bin/nodometer" status --config "$conf" 2>/dev/null; }
fails() { status | grep "^sink *$1: .*fails: .*$2"; }	# SINK TEXT
saved() { grep -q "^time_us ${at}000000\$" "$scratch/state/$host/$1"; }
long() { wait_times 4 "$@"; }
delivered()	# WHEN
{
	for s in http http.tls archive; do
		long saved $s || die "$1: $s does not have all: $(status | tail -n 5)"
	done
	for s in http tls; do
		python3 "$here/count.py" "$scratch/$s" "$scratch/archive/$host"/[0-9]* \
			>"$scratch/said" || die "$1: $s: $(cat "$scratch/said")"
	done
	zstd -dcq "$scratch/archived/$host/1700000000.zst" | cmp -s - "$raw" ||
		die "$1: the copy is another"
}

# From now on: what a new sink is to have is what comes.  The agent's last row says what is whole.
# shellcheck disable=SC2016 # a property of the file
sed -i '1a $agent nodometer 0.1.0\n!nodometer cpu,E bytes,E rows errors,E' "$raw"
current() { ln -f "$raw" "$scratch/archive/$host/current"; }
current
sender
wait_until test -e "$scratch/state/$host/http" || die 'the sender saved no cursor'
records 70
delivered 'at first'
say "$(cat "$scratch/said")"

# A certificate that has expired, a name that nobody knows: both are said, and get nothing.
long fails 'http expired' '[cC]ertificate\|expired' || die "$(status)"
long fails 'http nobody' 'resolve' || die "$(status)"
[ -z "$(ls "$scratch/expired")" ] || die 'records went to a server with an expired certificate'

# Each in turn: it is said, the sender goes on, and afterwards each value is there.
for trouble in garbage refuses-speech cut lost flood redirect 401 404 429 500 503 507; do
	all $trouble
	records 3
	for s in http 'http tls' archive; do
		long fails "$s" . || die "$trouble: not said of $s: $(status)"
	done
	all ok
	delivered $trouble
	say "$trouble: $(cat "$scratch/said")"
done

# One that is silent, one that drips its answer: others go on, they are given up, SIGTERM is heard.
echo silent >"$scratch/http.mode"
echo drip >"$scratch/tls.mode"
records 3
long saved archive || die 'one that hangs holds up another'
for s in http 'http tls'; do
	wait_times 8 fails "$s" '[tT]ime\|slow' || die "$s: $(status)"
done
records 3
sleep 3
before=$(date +%s)
stop "$sender"
[ $(($(date +%s) - before)) -le 8 ] || die 'SIGTERM waits for a server that hangs'
all ok
sender
delivered 'after those that hang'
say "silent, drip: $(cat "$scratch/said")"

# No room for cursors: sinks get records all the same, and a restart may send some again.
stop "$sender"
cp -r "$scratch/state" "$scratch/state.kept"
if mount -t tmpfs -o size=64k tmpfs "$scratch/state" 2>"$scratch/log"; then
	cp -r "$scratch/state.kept/." "$scratch/state/"
	head -c 1M /dev/zero >"$scratch/state/full" 2>"$scratch/log"
	sender
	records 3
	wait_until grep -q 'No space left' "$scratch/send.log" || die 'a full disk is not said'
	stop "$sender"
	rm "$scratch/state/full"
	cp -r "$scratch/state/$host/." "$scratch/state.kept/$host/"
	umount "$scratch/state"
	cp -r "$scratch/state.kept/." "$scratch/state/"
	sender
	delivered 'after the full disk'
	say "full disk: $(cat "$scratch/said")"
else
	say 'a full disk is not tried: no mount'
	sender
fi

# A day that waits, of which the file is compressed by then, and a sender that is killed ten times.
stop "$sender"
records 2000
zstd -q "$raw" -o "$raw.zst" && mv "$raw" "$scratch/plain" || die 'no zstd'
# another EPOCH: the header of the first, and some records
another()
{
	raw=$scratch/archive/$host/$1 at=$1
	sed '/^$/,$d' "$scratch/plain" >"$raw"
	records "$2"
	current
}
another 1700100000 2
for try in 1 2 3 4 5 6 7 8 9 10; do
	sender
	sleep 0.$((1 + try % 4))
	# shellcheck disable=SC2046 # numbers: the processes of the sinks
	kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
	wait "$sender" 2>/dev/null
done
sender
for s in http http.tls archive; do
	long saved $s || die "after a day: $s: $(status)"
done
mkdir "$scratch/want"
cp "$scratch/plain" "$scratch/want/1"
cp "$raw" "$scratch/want/2"
for s in http tls; do
	python3 "$here/count.py" "$scratch/$s" "$scratch/want/1" "$scratch/want/2" \
		>"$scratch/said" || die "after a day: $s: $(cat "$scratch/said")"
done
zstd -dcq "$scratch/archived/$host/1700000000.zst" | cmp -s - "$scratch/plain" ||
	die 'after a day: the copy is another'
say "killed ten times: $(cat "$scratch/said")"

# A clock that is set back by a day: times are as they were taken, and nothing is lost.
another 1700050000 5
cp "$raw" "$scratch/want/3"
counted()
{
	python3 "$here/count.py" "$scratch/$1" "$scratch/want/1" "$scratch/want/2" \
		"$scratch/want/3" >"$scratch/said"
}
archived() { zstd -dcq "$scratch/archived/$host/1700050000.zst" | cmp -s - "$raw"; }
long archived || die 'after the clock was set: the copy is another'
for s in http tls; do
	long counted $s || die "after the clock was set: $s: $(cat "$scratch/said")"
done
say "clock set back: $(cat "$scratch/said")"
finish
