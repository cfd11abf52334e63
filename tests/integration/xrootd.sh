# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154 # $pids is of lib.sh
# xrootd.sh - start real XRootD servers at a loopback address; source this file after lib.sh
command -v xrootd >/dev/null && command -v xrdcp >/dev/null || skip 'no xrootd'
[ "$(id -u)" = 0 ] || skip 'not root'
ip link set lo up || skip 'no loopback'
user=$(getent passwd xrootd nobody | head -n 1 | cut -d : -f 1)
base=$(mktemp -d) || exit 1
# shellcheck disable=SC2086 # a list of processes
trap 'last=$?; stop $pids; pids=; rm -rf "$base"; (exit $last); clean_up' EXIT

# config NAME PORT HTTP LINE DESTINATIONS: write the configuration of an XRootD server, with LINE
# added
config()
{
	mkdir -p "$base/$1/data" "$base/$1/adm"
	cat >"$base/$1/cfg" <<-END
	all.export /data
	all.adminpath $base/$1/adm
	all.pidpath $base/$1/adm
	oss.localroot $base/$1
	xrd.port $2
	xrd.protocol http:$3 libXrdHttp.so
	http.selfhttps2http no
	ofs.tpc ttl 60 60 pgm $(command -v xrdcp) --server
	$4
	xrootd.monitor all auth flush 1s fstat 1s lfn ops ssq xfr 1 ident 5s window 1s $5
	END
	chown -R "$user" "$base" && chmod 755 "$base"
}
