#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - for accesses to real servers whose bytes are known, each count is exact or states why it
# is not
#
# The test has two disk servers behind a redirector, a cache in front of them, HTTPS, third-party
# copies, clients and servers that are killed, and restarts. One receiver gets all streams and is
# restarted in between; another receiver gets no single requests. By default a quarter of the
# accesses is made; ACCESSES=all makes all.
namespaces=-n	# in its own network namespace any port is free
packages='xrootd-server xrootd-client xrootd-server-plugins python3-xrootd curl openssl python3'
. "$(dirname "$0")/../lib.sh"
. "$top/tests/integration/xrootd.sh"
python3 -c 'import XRootD.client' 2>/dev/null || skip 'no XRootD of Python'

# Servers report from 127.0.0.1. A client with that address may be a server that makes a third-party
# copy, and receivers wait for its report; so all other clients have another address.
address=10.88.0.1
ip address add $address/32 dev lo
full=39960 few=39961
rounds=4 want=90
! is_all && [ "${ACCESSES-}" != all ] || rounds=16 want=342

certificate cert DNS:localhost,IP:$address
mkdir "$base/tls" && cp "$scratch/cert.pem" "$scratch/cert.key" "$base/tls"
chmod 400 "$base/tls/cert.key"
https="xrd.tls $base/tls/cert.pem $base/tls/cert.key
xrd.tlsca certfile $base/tls/cert.pem
http.exthandler xrdtpc libXrdHttpTPC.so
xrootd.mongstream tpc use flush 1s"
destinations="dest fstat files io info user tpc 127.0.0.1:$full dest fstat user tpc 127.0.0.1:$few"
cluster="all.manager $address:31099
cms.delay startup 2 lookup 2 servers 1"
config m 31098 31198 "all.role manager
$cluster" "$destinations"
config a 31094 31194 "all.role server
$cluster
$https" "$destinations"
config b 31096 31196 "all.role server
$cluster
$https" "$destinations"
config c 31100 31200 "ofs.osslib libXrdPss.so
pss.cachelib libXrdFileCache.so
pss.origin $address:31098
pfc.ram 1g
pfc.blocksize 128k
pfc.prefetch 0
pfc.diskusage 0.98 0.99 purgeinterval 3600s
xrootd.mongstream pfc use flush 1s" \
	"dest fstat files io info user pfc 127.0.0.1:$full dest fstat user pfc 127.0.0.1:$few"
sed -i "/^ofs.tpc/d; s|^oss.localroot.*|oss.localroot $base/c/store|" "$base/c/cfg"
mkdir -p "$base/c/store/data" && chown -R "$user" "$base/c/store"
for name in m a b; do
	grep -v '^xrd\.\|^http\.\|^xrootd\.\|^ofs\.' "$base/$name/cfg" >"$base/$name/cms"
done
echo 'xrd.port 31099' >>"$base/m/cms"

# receive PORT: start a receiver with pid $started
receive()
{
	background "$bin/nodometer-xrootd" -p "$1" --bind 127.0.0.1 -o "$scratch/lines.$1" \
		2>>"$scratch/log.$1"
	wait_until bound "$1" || die "no receiver: $(cat "$scratch/log.$1")"
}
receive $full
receiver=$started
receive $few
other=$started

# start NAME PORT: start an XRootD server with pid $started
start()
{
	background prlimit --nofile=4096:4096 xrootd -R "$user" -n "$1" -c "$base/$1/cfg" \
		-l "$base/$1/log"
	wait_times 3 timeout 4 xrdfs "localhost:$2" stat /data ||
		die "no xrootd $1: $(tail -n 20 "$base/$1"/*/log)"
}
for name in m a b; do
	background prlimit --nofile=4096:4096 cmsd -R "$user" -n "$name" -c "$base/$name/cms" \
		-l "$base/$name/cms.log"
done
start a 31094
start b 31096
server=$started
start m 31098
joined() { [ "$(grep -c 'Primary server.* logged in' "$base/m/m/cms.log")" = 2 ]; }
wait_until joined || die "no cluster: $(tail -n 20 "$base/m/m/cms.log")"
start c 31100
cache=$started
say 'servers are up'

# do_accesses STAGE...: make the accesses of these stages, and append their known bytes to
# $scratch/known
do_accesses()
{
	timeout 300 python3 "$here/accesses.py" $address "$base" "$scratch" "$rounds" "$@" \
		>>"$scratch/known" || fail "accesses: $*"
	say "$*: $(wc -l <"$scratch/known") accesses are known"
}
do_accesses files web redirector cache copies kills
stop "$receiver"
receive $full
receiver=$started
# When a killed server starts again, accesses that were open are ended.
do_accesses held "$server"
start b 31096
stop "$cache"
start c 31100
do_accesses again

[ "$(wc -l <"$scratch/known")" -ge $want ] || fail "fewer than $want accesses"
settled()
{
	for port in $full $few; do
		python3 "$here/judge.py" "$scratch/known" "$scratch/lines.$port" || return 1
	done
}
wait_times 6 settled
stop "$receiver" "$other"
for port in $full $few; do
	said=$(python3 "$here/judge.py" "$scratch/known" "$scratch/lines.$port") ||
		fail "by the receiver of port $port: $(tail -n 1 "$scratch/log.$port")"
	say "port $port: $said"
done
finish
