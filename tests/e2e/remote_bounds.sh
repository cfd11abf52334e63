#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# remote_bounds.sh - listing an archive on a server always ends, and the helper program ends with
# its reader
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL' config.h && grep -q '^#define HAVE_EXPAT' config.h ||
	skip 'built without libcurl or expat'
for python in /usr/bin/python3 python3 ''; do
	! "$python" -c 'import http.server' 2>/dev/null || break
done
[ -n "$python" ] || skip 'no python3'
HOME=$scratch port=$(free_port)
export HOME
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY http_proxy all_proxy ALL_PROXY
: >"$scratch/seen"
"$python" "$srcdir/tests/e2e/remote_server.py" "$port" "$scratch/seen" 2>"$scratch/server.log" &
pids="$pids $!"
AWS_ENDPOINT_URL=http://localhost:$port
export AWS_ENDPOINT_URL
listing() { "$bin/nodometer-jobs" --dir "$1" >"$scratch/out" 2>"$scratch/said"; }
wait_until 10 listing "$AWS_ENDPOINT_URL/first" ||
	fail "no server: $(cat "$scratch/said" "$scratch/server.log")"

# says MOST WORDS URL: listing the archive at URL must fail with WORDS, after at most MOST requests
says() {
	: >"$scratch/seen"
	! timeout 60 "$bin/nodometer-jobs" --dir "$3" >"$scratch/out" 2>"$scratch/said" ||
		fail "$3: no error"
	grep -q "$2" "$scratch/said" || fail "$3: $(cat "$scratch/said")"
	[ "$(wc -l <"$scratch/seen")" -le "$1" ] || fail "$3: $(wc -l <"$scratch/seen") requests"
}
says 3 'same continuation token' s3://alternating/
says 502 'sent 500 pages with only 0 objects' s3://endless/

# A request to a busy server is repeated, however long the body of its answer is.
listing "$AWS_ENDPOINT_URL/busy" || fail "busy: $(cat "$scratch/said")"

# An empty file causes only one error: that some of it cannot be read. With MALLOC_PERTURB_, glibc
# fills freed memory, so that a use of freed memory shows.
MALLOC_PERTURB_=65
export MALLOC_PERTURB_
listing "$AWS_ENDPOINT_URL/empty"
unset MALLOC_PERTURB_
grep -q '^/empty/n1/1700000000' "$scratch/seen" || fail "empty file: $(cat "$scratch/seen")"
is 'error of an empty file' "$(cat "$scratch/said")" \
	"nodometer jobs: $AWS_ENDPOINT_URL/empty/n1/1700000000: some of it cannot be read"

# Names of folders are escaped in URLs; a folder that cannot be read does not affect others.
listing "$AWS_ENDPOINT_URL/names" || fail "names: $(cat "$scratch/said")"
grep -q '^7 .* 9 ' "$scratch/out" || fail "names: $(cat "$scratch/out" "$scratch/said")"

# helper READER: wait until the server got a request, and print the pid of the helper,
# nodometer-remote or nodometer-fetch, that READER started
helper() {
	wait_until 10 grep -q '^/silent' "$scratch/seen"
	children "$1"
}
ask_silent() {	# --dir or --from
	: >"$scratch/seen"
	"$bin/nodometer-jobs" "$1" "$AWS_ENDPOINT_URL/silent" >"$scratch/out" 2>"$scratch/said" &
	reader=$!
	pids="$pids $reader"
	remote=$(helper $reader)
	[ -n "$remote" ] || fail "$1: no program that asks"
}
for way in --dir --from; do
	ask_silent $way
	kill -KILL $reader
	wait $reader 2>/dev/null
	tries=0
	until gone "$remote"; do
		[ $((tries += 1)) -lt 100 ] || fail "$way: it goes on without its reader"
		sleep 0.1
	done
	forget $reader
done

ask_silent --dir
kill -KILL "$remote"
wait $reader
forget $reader
grep -q 'killed by signal 9' "$scratch/said" || fail "killed: $(cat "$scratch/said")"
