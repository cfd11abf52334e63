# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# free_port.sh - choose a port that no test running at the same time uses

# free_port: print a port that is unused by TCP and UDP and outside the range for clients. The port
# is random, because ports computed from process ids would collide: these ids are small and similar
# in namespaces. For half an hour no other test gets the port, so that the caller has time to bind
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
