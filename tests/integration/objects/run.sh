#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - from archives on nginx and in an object store, report, jobs, plot and cat print the same
# as from the folder, with at most two requests for each file that has the job
packages='nginx-light nodejs npm openssl zstd curl'
. "$(dirname "$0")/../lib.sh"
grep -q '^#define HAVE_ZSTD' config.h && grep -q '^#define HAVE_CURL' config.h &&
	grep -q '^#define HAVE_EXPAT' config.h || skip 'built without libzstd, libcurl or expat'
# npm has its own list of certificate authorities: add those of this system
authorities=/etc/ssl/certs/ca-certificates.crt
(cd "$scratch" && NODE_EXTRA_CA_CERTS=$authorities timeout 120 npm install --no-audit --no-fund \
	--silent --prefix "$scratch" s3rver@3.7.1 >"$scratch/npm" 2>&1) ||
	skip "npm does not install s3rver: $(tail -n 1 "$scratch/npm")"
cd "$scratch" || exit 1
certificate server
mkdir tmp s3 home
archive=$scratch/archive

# file HOST EPOCH JOB: make a day's file of records two hours apart; JOB is in six of them
file()
{
	mkdir -p "$archive/$1"
	awk -v host="$1" -v t="$2" -v job="${3-}" 'BEGIN {
		printf "$hpcperfstats 2.3.5\n$hostname %s\n", host
		printf "!cpu user,E,U=cs idle,E,U=cs\n!mem a,U=KB\n"
		for (i = 0; i < 12; i++) {
			own = job != "" && i > 2 && i < 9
			printf "\n%d %s\n", t + 7200 * i, own ? job : "-"
			if (own && i == 3)
				printf "%%begin %s user=ann\n", job
			if (own && i == 8)
				printf "%%end %s\n", job
			for (c = 0; c < 40; c++)
				printf "cpu %d %d %d\n", c, i * 7200 * (c + 1), i * 700 * (c + 3)
			printf "mem 0 %d\n", 1000 + i
		}
	}' >"$archive/$1/$2"
}
hosts=12
for i in $(seq $hosts); do
	for day in 0 1 2; do
		job=
		[ $day != 1 ] || [ "$i" -gt 3 ] || job=4711	# three nodes, one file each
		[ $day != 2 ] || [ "$i" != 9 ] || job=4712	# the file is not closed yet
		file "n$i.example.org" $((1700000000 + 86400 * day)) $job
	done
	"$bin/nodometer-tidy" --compress "$archive/n$i.example.org" || die 'no nodometer-tidy'
	rm "$archive/n$i.example.org/tidy"
done
[ "$(find "$archive" -name '*.zst' | wc -l)" = $((2 * hosts)) ] || die "$(find "$archive")"
# Use real records, too, if they are beside this source.
raw=${NODOMETER_SHARED:-$top/../shared}/data/raw
for dir in "$raw"/stampede-2013-1.0.5/c* "$raw"/compute-0-1-2014-2.0.0/comp* \
	"$raw"/stampede3-*/c*; do
	[ ! -d "$dir" ] || cp -r "$dir" "$archive" || exit 1
done
real=$(find "$archive" -path '*c4??-*' | grep -c '/[0-9]*$')

cat >nginx.conf <<X
daemon off;
user root;
pid $scratch/pid;
error_log $scratch/error.log;
events { }
http {
	log_format short '\$request_method \$uri \$http_range \$status';
	access_log $scratch/web.log short;
	client_body_temp_path $scratch/tmp;
	proxy_temp_path $scratch/tmp;
	fastcgi_temp_path $scratch/tmp;
	uwsgi_temp_path $scratch/tmp;
	scgi_temp_path $scratch/tmp;
	server {
		listen 127.0.0.1:$(free_port | tee web.port) ssl;
		ssl_certificate $scratch/server.pem;
		ssl_certificate_key $scratch/server.key;
		root $scratch;
		location /archive/ { autoindex on; autoindex_format json; }
		location /names/ { alias $archive/; autoindex on; }
		location /whole/ { alias $archive/; autoindex on; autoindex_format json;
			max_ranges 0; }
		location /closed/ { alias $archive/; autoindex on; autoindex_format json;
			auth_basic x; auth_basic_user_file $scratch/users; }
	}
}
X
printf 'ann:{PLAIN}secret\n' >users
[ "$(id -u)" = 0 ] || sed -i '/^user/d' nginx.conf
background nginx -p "$scratch" -c "$scratch/nginx.conf" 2>>nginx.log
behind=$(free_port) port=$(free_port)
background node --openssl-legacy-provider node_modules/.bin/s3rver -d s3 -a 127.0.0.1 \
	-p "$behind" --configure-bucket central \
	>s3rver.log 2>&1
background node "$here/store.js" "$port" "$behind" server.pem server.key "$scratch/store.log" \
	"$scratch/faults" 2>store.err
web=https://localhost:$(cat web.port) store=s3://central/site/a
export HOME="$scratch/home" CURL_CA_BUNDLE="$scratch/server.pem"
export AWS_ENDPOINT_URL="https://localhost:$port"
export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER
wait_until curl -sf "$web/archive/" || die "nginx: $(cat nginx.log)"
wait_until curl -s "http://127.0.0.1:$behind/" || die "s3rver: $(cat s3rver.log)"
wait_until curl -s "$AWS_ENDPOINT_URL/" || die "$(cat store.err)"
(cd archive && find . -path '*/[0-9]*' -type f | cut -c 3- | while read -r f; do
	printf 'url = "http://127.0.0.1:%s/central/site/a/%s"\nupload-file = "%s"\n' \
		"$behind" "$f" "$f"
done) >up
(cd archive && curl -sS -Z --aws-sigv4 aws:amz:us-east-1:s3 -u S3RVER:S3RVER \
	-H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' -f -K ../up >"$scratch/log" 2>&1) ||
	die "upload: $(tail -n 3 log)"
say 'archives are in place'

# same NAME WORD...: nodometer-NAME must print the same for the folder and for both URLs
same()
{
	name=$1
	shift
	"$bin/nodometer-$name" --dir "$archive" "$@" >want 2>want.err
	status=$?
	: >web.log
	: >store.log
	for url in "$web/archive" "$store/"; do
		"$bin/nodometer-$name" --dir "$url" "$@" >got 2>got.err
		[ $? = $status ] || fail "$name $* of $url: $(cat got.err)"
		cmp -s want got || fail "$name $* of $url: $(diff want got | head -n 4)"
		[ -s got ] || fail "$name $*: nothing"
	done
	# nginx logs a request after its answer, but before it reads the next request
	curl -s -o answer "$web/"
	cat web.log store.log >requests
}
# requests FILE: print the number of requests for FILE in the log of either server
requests() { awk -v file="/$1" 'index($2, file) { n++ } END { print n + 0 }' requests; }

same report 4711
for i in 1 2 3; do
	n=$(requests n$i.example.org/1700086400.zst)
	[ "$n" -ge 2 ] && [ "$n" -le 4 ] ||
		fail "two servers were asked $n times for a file of job 4711"
done
for i in 4 12; do
	n=$(requests n$i.example.org/1700086400.zst)
	[ "$n" -le 2 ] || fail "two servers were asked $n times for a file without the job"
done

# If "jobs --keep" has indexed all files, only files with the job are requested, once each.
"$bin/nodometer-jobs" --dir "$archive" --keep || fail 'no --keep'
grep -q '^file n4.example.org/1700086400.zst [0-9]*$' "$archive/jobs.index" || fail 'no index'
curl -sSf --aws-sigv4 aws:amz:us-east-1:s3 -u S3RVER:S3RVER -T "$archive/jobs.index" \
	-H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' \
	"http://127.0.0.1:$behind/central/site/a/jobs.index" >log 2>&1 || fail "$(cat log)"
same report 4711
[ "$(requests jobs.index)" = 2 ] || fail "two servers were asked $(requests jobs.index) times"
for i in $(seq $hosts); do
	n=$(requests "n$i.example.org/1700086400.zst")
	if [ "$i" -le 3 ]; then
		[ "$n" = 2 ] || fail "two servers were asked $n times for a file of job 4711"
	else
		[ "$n" = 0 ] || fail "two servers were asked $n times for a file without the job"
	fi
	n=$(requests "n$i.example.org/1700000000.zst")$(requests "n$i.example.org/1700172800")
	[ "$n" = 00 ] || fail "two servers were asked $n times for files of other days"
done
same report 4712 --json
same jobs
same jobs --used --json --figures all
same plot 4711
# A file that has grown since it was indexed is requested, too.
file n4.example.org 1700172800 4713
cat "$archive/n5.example.org/1700172800" >>"$archive/n4.example.org/1700172800"
"$bin/nodometer-report" --dir "$archive" 4713 >want
"$bin/nodometer-report" --dir "$web/archive" 4713 >got 2>got.err && cmp -s want got ||
	fail "a file that grew: $(cat got.err)"
same cat --host n9.example.org --csv
same cat --schema --host 'n1*'
same report --host n2.example.org
if [ "$real" = 7 ]; then
	same report 1835740
	same report 1835740 --json
	for job in 1830387 1831121 1836588 20 2946877; do
		same report $job
	done
	say 'real jobs, too'
fi
"$bin/nodometer-cat" "$web/archive/n1.example.org/1700000000.zst" >got 2>&1 || fail "$(cat got)"
"$bin/nodometer-cat" "$archive/n1.example.org/1700000000.zst" >want
cmp -s want got || fail 'one file by its URL'
same_host() { "$bin/nodometer-jobs" --dir "$1/n2.example.org" >"$2" 2>&1; }
same_host "$archive" want && same_host "$web/archive" got && cmp -s want got ||
	fail "one host's folder: $(cat got)"

# says WORDS COMMAND...: COMMAND must fail and print WORDS
says()
{
	words=$1
	shift
	! "$@" >got 2>&1 || fail "$*: no failure"
	grep -q "$words" got || fail "$*: want '$words', not $(head -n 3 got)"
}
jobs="$bin/nodometer-jobs --dir"
# shellcheck disable=SC2086 # a command and its option
{
	says '404' $jobs "$web/nowhere"
	says 'autoindex_format json' $jobs "$web/names"
	says 'answers 401' $jobs "$web/closed"
	says 'certificate' env CURL_CA_BUNDLE=/dev/null $jobs "$web/archive"
	says 'NoSuchBucket' $jobs s3://nowhere/a
	says 'BUCKET' $jobs s3:///a
	says 'region us-east-1' env AWS_REGION=eu-west-1 $jobs $store
	says 'SignatureDoesNotMatch' env AWS_SECRET_ACCESS_KEY=wrong $jobs $store
	says 'connect' env AWS_ENDPOINT_URL=https://localhost:1 $jobs $store
}
# Log in with ~/.netrc, and with keys in ~/.aws/credentials; files that other users can read are
# refused.
printf 'machine localhost\nlogin ann\npassword secret\n' >home/.netrc
mkdir home/.aws
printf '[other]\naws_access_key_id = x\naws_secret_access_key = y\n[default]\n%s\n%s\n' \
	'aws_access_key_id = S3RVER' 'aws_secret_access_key=S3RVER' >home/.aws/credentials
chmod 600 home/.netrc home/.aws/credentials
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
same jobs --host n1.example.org
"$bin/nodometer-jobs" --dir "$web/closed" >got 2>&1 && grep -q '^4711' got ||
	fail "netrc: $(cat got)"
chmod 644 home/.netrc home/.aws/credentials
# shellcheck disable=SC2086 # a command and its option
{
	says 'chmod 0600' $jobs "$web/closed"
	says 'chmod 0600' $jobs $store
}
chmod 600 home/.netrc home/.aws/credentials

# A request to a busy store is repeated. If a store cuts an answer off, this is an error. If it
# supports no ranges, the report is the same.
echo busy >faults
same report 4711
echo cut >faults
says 'closed\|transfer' "$bin/nodometer-report" --dir $store 4711
echo whole >faults
same report 4711
rm faults
"$bin/nodometer-report" --dir "$archive" 4711 >want
"$bin/nodometer-report" --dir "$web/whole" 4711 >got 2>got.err || fail "no ranges: $(cat got.err)"
cmp -s want got || fail 'without ranges other figures'

# [sink archive] on three nodes stores their files in the object store, each with its index.
(umask 077 && echo S3RVER >secret && echo wrong >wrong)
sent() { [ "$(find s3/central/sent -name '*_object' | wc -l)" = $((3 * $1)) ]; }
for i in 1 2 3; do
	ln "archive/n$i.example.org/1700172800" "archive/n$i.example.org/current"
	mkdir "state$i"
	cat >"send$i" <<X
[agent]
dir = $archive
hostname = n$i.example.org
[send]
state-dir = $scratch/state$i
[sink archive]
url = s3://central/sent
endpoint = $AWS_ENDPOINT_URL/
user = S3RVER
password-file = $scratch/secret
ca-file = $scratch/server.pem
X
	sed 's|/secret$|/wrong|' "send$i" >refused
	! timeout 60 "$bin/nodometer-send" --once --config refused >log 2>&1 ||
		fail 'a wrong secret delivers'
	grep -q 'answers 403' log || fail "a wrong secret: $(cat log)"
	background "$bin/nodometer-send" --config "send$i" 2>>send.log
	wait_until sent "$i" || fail "not sent: $(find s3/central/sent) $(cat send.log)"
	stop "$started"
done
: >store.log
"$bin/nodometer-report" --dir s3://central/sent 4711 >got 2>got.err || fail "$(cat got.err)"
cmp -s want got || fail "what was sent: $(diff want got | head -n 4)"
for i in 1 2 3; do
	n=$(grep -c "/n$i.example.org/1700000000.zst" store.log)
	[ "$n" = 1 ] || fail "the store was asked $n times for a file without the job"
done
for wrong in 's|^user.*||' 's|^url.*|url = s3:///x|' 's|^user|move = yes\n&|'; do
	sed "$wrong" send1 >refused
	! "$bin/nodometer-send" --check --config refused >log 2>&1 || fail "$wrong is no error"
done
say 'nodes fill a store'
finish
