# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# free_port.sh - a port of no other test that runs beside this one

# free_port: prints one that nobody has, TCP nor UDP, and that the kernel gives to no client; by
# chance, as process ids are small and alike where tests run in namespaces of their own. For half an
# hour no other test gets it, which may look before this one binds it.
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

# bound PORT: whether somebody receives there by UDP
bound() { grep -qi ":$(printf %04X "$1") " /proc/net/udp /proc/net/udp6; }
