# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# free_port.sh - choose a port that no test running at the same time uses

# free_port: print a random port that no program uses by TCP or UDP, outside the range for clients.
# Ports computed from process ids would collide, because processes in different namespaces have the
# same small ids. For half an hour no other test gets the port, so that the caller has time to bind
# it.
free_port() {
	taken=${TMPDIR:-/tmp}/nodometer-ports
	mkdir -p -m 1777 "$taken" 2>/dev/null
	find "$taken" -mindepth 1 -mmin +30 -delete 2>/dev/null
	while :; do
		port=$((10000 + $(od -A n -N 2 -t u2 /dev/urandom) % 22000))
		! grep -qi ":$(printf %04X "$port") " /proc/net/udp* /proc/net/tcp* || continue
		! mkdir "$taken/$port" 2>/dev/null && [ -d "$taken/$port" ] || break
	done
	echo "$port"
}

# bound PORT: succeed if a process receives on the port by UDP
bound() { grep -qi ":$(printf %04X "$1") " /proc/net/udp /proc/net/udp6; }
