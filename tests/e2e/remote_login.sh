#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# remote_login.sh - a login in ~/.netrc is sent only to its own host
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL' config.h || skip 'built without libcurl'
for python in /usr/bin/python3 python3 ''; do
	! "$python" -c 'import ssl' 2>/dev/null || break
done
[ -n "$python" ] || skip 'no python3 with ssl'
command -v openssl >/dev/null || skip 'no openssl'
source=$(cd "$srcdir" && pwd)
cd "$scratch" || exit 99
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out certificate \
	-days 2 -subj /CN=localhost -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
	2>openssl.log || fail "openssl: $(cat openssl.log)"
HOME=$scratch CURL_CA_BUNDLE=$scratch/certificate port=$(free_port)
export HOME CURL_CA_BUNDLE
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY https_proxy HTTPS_PROXY all_proxy ALL_PROXY
"$python" "$source/tests/e2e/remote_server.py" "$port" seen certificate key 2>server.log &
pids="$pids $!"
here=localhost:$port
listing() { "$bin/nodometer-jobs" --dir "$1" >out 2>said; }
wait_until 10 listing "https://$here/first" || fail "no server: $(cat said server.log)"

# sees NETRC URL LOGIN: list URL with NETRC as ~/.netrc; the server must get LOGIN
sees() {
	(umask 077 && printf '%b' "$1" >.netrc)
	: >seen
	listing "$2" || fail "$2: $(cat said)"
	is "login for $2 by \"$1\"" "$(sed 's/^[^ ]* //' seen)" "$3"
}
sees 'machine localhost login ann password S' "https://$here/a" ann:S
sees 'machine localhost\npassword S\nlogin ann\n' "https://$here/a" ann:S
sees 'machine other login bob password B\n# next\nmachine localhost login ann password S' \
	"https://$here/a" ann:S
sees 'machine other login bob password B\ndefault login ann password S' "https://$here/a" ann:S
sees 'machine archive.example.org login alice password S' "https://$here/a" none
sees 'machine localhost login ann password S' "https://127.0.0.1:$port/a" none
# Text like "s3://b" in the path of a URL is not taken for a bucket of an object store.
sees 'machine localhost login ann password S' "https://$here/a/s3://b" ann:S

# refuses URL WORDS: listing URL must fail with WORDS and without a request to the server
refuses() {
	: >seen
	! listing "$1" || fail "$1: not refused"
	grep -q "$2" said || fail "$1: $(cat said)"
	[ ! -s seen ] || fail "$1: the server saw $(cat seen)"
}
(umask 077 && echo 'machine archive.example.org login alice password S' >.netrc)
for url in "https://archive.example.org:443@$here/ok" "https://bob:secret@$here/ok" \
	"https://@$here/"; do
	refuses "$url" 'user or password'
done
refuses "https://$here@/ok" 'user or password'
refuses 'https://ho\st/' URL
refuses 'https://localhost:99999/' 'ort number'
AWS_ENDPOINT_URL=https://alice:S@$here
export AWS_ENDPOINT_URL
refuses s3://b/a 'user or password'

# An empty AWS_CA_BUNDLE names no file: the system's certificates are used, which do not include the
# server's certificate.
(unset CURL_CA_BUNDLE SSL_CERT_FILE && AWS_CA_BUNDLE='' listing "https://$here/a") && fail 'trusted'
grep -qi 'self.signed\|issuer' said || fail "certificates of the system: $(cat said)"

# A redirect is not followed, because the login is for this server only.
(umask 077 && printf 'default login ann password S\n' >.netrc)
: >seen
! listing "https://$here/moved" || fail 'a redirect is a list'
is 'requests of a redirect' "$(cat seen)" '/moved/ ann:S'
grep -q "redirects to https://127.0.0.1:$port/target" said || fail "redirect: $(cat said)"
