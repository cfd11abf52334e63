#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - sinks over HTTP and TCP survive servers that send wrong answers, hang, are full, or have
# a wrong certificate
packages='python3 openssl zstd'
namespaces='--net --mount --map-root-user'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../feed.sh
. "$top/tests/integration/feed.sh"
grep -q '^#define HAVE_CURL' "$bin/config.h" && grep -q '^#define HAVE_ZSTD' "$bin/config.h" ||
	skip 'built without libcurl or libzstd'
ip link set lo up || skip 'no network namespace'
host=n1.example.org

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
serve()	# serve NAME PORT [CERTIFICATE]: start a server whose mode is in $scratch/NAME.mode
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

sinks='http http.tls archive'
counted()
{
	sink=$1
	shift
	case $sink in
	archive)
		for file; do
			zstd -dcq "$scratch/archived/$host/${file##*/}.zst" | cmp -s - "$file" || {
				echo "the copy of ${file##*/} is another" >"$scratch/said"
				return 1
			}
		done
		echo 'the same bytes' >"$scratch/said"
		;;
	*)
		python3 "$here/count.py" "$scratch/${sink#http.}" "$@" >"$scratch/said"
		;;
	esac
}
first_records

# An expired certificate and an unknown hostname are reported, and no record goes to such a server.
long fails 'http expired' '[cC]ertificate\|expired' || die "$(status)"
long fails 'http nobody' 'resolve' || die "$(status)"
[ -z "$(ls "$scratch/expired")" ] || die 'records went to a server with an expired certificate'

# In each kind of trouble, the sinks report an error and the sender continues; when the server works
# again, all values arrive.
for trouble in garbage refuses-speech cut lost flood redirect 401 404 429 500 503 507; do
	all $trouble
	records 3
	for s in http 'http tls' archive; do
		long fails "$s" . || die "$trouble: not said of $s: $(status)"
	done
	all ok
	delivered $trouble
done

# One server never answers, another sends its answer byte by byte: the sinks of both time out,
# another sink is not delayed, and SIGTERM ends the sender soon.
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

full_disk
grep -q 'No space left' "$scratch/send.log" || die 'a full disk is not said'
waiting_day
clock_set_back
finish
