#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - [sink archive] to a real WebDAV server with TLS: nothing is lost, and nothing goes to a
# wrong server
packages='nginx-light openssl zstd curl'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"

grep -q '^#define HAVE_ZSTD' config.h && grep -q '^#define HAVE_CURL' config.h ||
	skip 'built without libzstd or libcurl'
ip link set lo up || skip 'no network namespace'
cd "$scratch" || exit 1
archive=$scratch/archive/n1
copy=$scratch/up/central/n1/1000.zst
mkdir -p "$archive" state up/central tmp

# Two certificate authorities, only one of them trusted, each sign a certificate for localhost.
make_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" && chmod 600 "$1.key"; }
echo 'subjectAltName=DNS:localhost' >ext
# signed NAME AUTHORITY COMMON-NAME: make a certificate that AUTHORITY signs
signed()
{
	make_key "$1"
	openssl req -new -key "$1.key" -out "$1.csr" -subj "/O=nodes/CN=$3" || exit 1
	openssl x509 -req -in "$1.csr" -CA "$2-ca.crt" -CAkey "$2-ca.key" -CAcreateserial \
		-days 30 -extfile ext -out "$1.crt" 2>openssl.log || exit 1
}
for ca in good bad; do
	make_key $ca-ca
	openssl req -x509 -new -key $ca-ca.key -out $ca-ca.crt -days 30 -subj "/CN=$ca" || exit 1
	signed $ca $ca server
done
# nginx_conf: write a configuration with standard input in the block "http"
nginx_conf()
{
	cat <<X
daemon off;
user root;
pid $scratch/pid;
error_log $scratch/error.log;
worker_processes 1;
events { worker_connections 64; }
http {
	access_log $scratch/access.log;
	proxy_temp_path $scratch/tmp;
	fastcgi_temp_path $scratch/tmp;
	uwsgi_temp_path $scratch/tmp;
	scgi_temp_path $scratch/tmp;
	$(cat)
}
X
}
nginx_conf >nginx.conf <<X
	client_body_temp_path $scratch/up/tmp;
	server {
		listen 127.0.0.1:18453 ssl;
		ssl_certificate $scratch/server.crt;
		ssl_certificate_key $scratch/server.key;
		root $scratch/up;
		location / { dav_methods PUT MOVE; create_full_put_path on; }
	}
X
# serve NAME: start a server with the certificate NAME
serve()
{
	cp "$1.crt" server.crt && cp "$1.key" server.key
	background nginx -p "$scratch" -c "$scratch/nginx.conf" 2>>nginx.log
	server=$started
}

# group TIME: append a record group to the archive's file
group() { printf '\n%s 7\nvm - %s\nnodometer - 1 2 2 4 5\n' "$1" "$1" >>"$archive/1000"; }
printf '$hpcperfstats 2.3.5\n$hostname n1\n!vm a,E\n!nodometer cpu,E bytes,E rows more x\n' \
	>"$archive/1000"
group 1000
ln "$archive/1000" "$archive/current"

configure()	# configure HOST MOVE: write the configuration of a sender to HOST
{
	cat >conf <<X
[agent]
dir = $scratch/archive
hostname = n1
[send]
state-dir = $scratch/state
[sink archive]
url = https://$1:18453/central
ca-file = $scratch/good-ca.crt
open-interval = 0
move = $2
X
}
launch()
{
	background "$bin/nodometer-send" --config conf 2>>send.log
	sender=$started
}
arrived() { [ -e "$copy" ] && zstd -dcq "$copy" 2>/dev/null | cmp -s - "$archive/1000"; }
fails() { "$bin/nodometer" status --config conf 2>/dev/null | grep "fails: .*$1"; }
long() { wait_times 3 "$@"; }
arrives() { long arrived || die "$1: the copy is not the node's text: $(cat send.log)"; }

say 'a server with a certificate of nobody that is trusted gets nothing'
configure localhost no
serve bad
launch
long fails '[cC]ertificate' || die "not said: $(cat send.log)"
[ ! -e up/central/n1 ] || die 'something was sent'
stop "$server" "$sender"

say 'no address for the name: that is said, and SIGTERM ends the sender all the same'
configure nowhere.invalid no
launch
long fails 'resolve' || die "not said: $(cat send.log)"
stop "$sender"

say 'all of it comes, and grows'
configure localhost no
serve good
launch
arrives 'the first file'
group 1001
arrives 'a group'
awk 'BEGIN { for (printf "\n1001.5 7\n"; i++ < 30000; ) print "vm", i, 1
	print "nodometer - 1 2 30001 4 5" }' >>"$archive/1000"
arrives 'more than the last frame has'
tail -c 300 "$copy" | grep -aq '^last [0-9]' || die 'its newest records are no frame'

say 'a server that goes, a sender that is killed, and groups that came meanwhile'
stop "$server"
group 1002
long fails . || die 'not said'
# shellcheck disable=SC2046 # numbers: the process of the sink
kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
wait "$sender" 2>/dev/null
group 1003
serve good
launch
arrives 'after the outage'

say 'with MOVE, nothing is left under another name'
stop "$sender"
configure localhost yes
group 1004
launch
arrives 'by MOVE'
[ "$(find up/central -type f)" = "up/central/n1/1000.zst" ] ||
	die "left: $(find up/central -type f)"

say 'SIGTERM sends what open-interval would have kept'
stop "$sender"
sed -i 's/^open-interval.*/open-interval = 24h/' conf
group 1005
launch
arrives 'the first time'
group 1006
stop "$sender"
arrived || die 'the last group was not sent at SIGTERM'

say 'the server of nodometer-archive(7): each node below its own name, and reads nothing'
stop "$server"
signed n1 good n1
signed n2 good n2
signed n3 good 'n3/O=x,CN=n2'
mkdir -p central/archive central/tmp
sed -e 's|listen 443 ssl|listen 127.0.0.1:18453 ssl|' -e "s|root /central|root $scratch/central|" \
	-e "s|/etc/nginx/archive.pem|$scratch/good.crt|" \
	-e "s|/etc/nginx/archive.key|$scratch/good.key|" \
	-e "s|/etc/nginx/nodes-ca.pem|$scratch/good-ca.crt|" \
	-e "s|/central/tmp|$scratch/central/tmp|" \
	"$top/packaging/share/nginx-archive.conf" >shipped.conf
echo "include $scratch/shipped.conf;" | nginx_conf >nginx.conf
serve good
cat >conf <<X
[agent]
dir = $scratch/archive
hostname = n1
[send]
state-dir = $scratch/state2
[sink archive]
url = https://localhost:18453/archive
ca-file = $scratch/good-ca.crt
cert-file = $scratch/n1.crt
key-file = $scratch/n1.key
open-interval = 0
X
copy=$scratch/central/archive/n1/1000.zst
launch
arrives 'below its own name'
put()	# put WHO PATH: upload a file to PATH with the certificate of WHO, and print the HTTP status
{
	curl -sS -o answer -w '%{http_code}' --path-as-is --cacert good-ca.crt \
		--cert "$1.crt" --key "$1.key" -T conf "https://localhost:18453/archive/$2"
}
[ "$(put n2 n2/1000.zst)" = 201 ] || die 'n2 does not write its own'
for path in n1/1000.zst n1/2000.zst ../n1/1000.zst n2/../n1/1000.zst n2/evil.php n2/1000.zst/x; do
	put n2 "$path" | grep -q '^4' || die "n2 writes $path"
done
arrived || die 'n2 has changed the file of n1'
put n3 n2/3000.zst | grep -q '^4' || die 'an organization "x,CN=n2" is taken for n2'
[ "$(put n3 n3/3000.zst)" = 201 ] || die 'n3 does not write its own'
[ "$(curl -sS -o answer -w '%{http_code}' --cacert good-ca.crt --cert n1.crt --key n1.key \
	https://localhost:18453/archive/n1/1000.zst)" = 403 ] || die 'nodes read the archive'
[ "$(curl -sS -o answer -w '%{http_code}' --cacert good-ca.crt \
	-T conf https://localhost:18453/archive/n1/3000.zst)" = 400 ] ||
	die 'who has no certificate writes'
"$bin/nodometer" check "$copy" >checked || die "$(cat checked)"
stop "$sender"
