#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# config_sinks.sh - config check opens the files that sinks name, and reports a wrong key with its
# line number
. "$(dirname "$0")/config_sinks_lib.sh"

# Files that sinks name are opened; a problem is reported with a remedy.
correct='create the file, or correct the path'
printf 'x\n' >"$scratch/open"
chmod 644 "$scratch/open"
: >"$scratch/empty"
printf 'secret\n' >"$scratch/secret"
chmod 600 "$scratch/empty" "$scratch/secret"
check 1 '' '[sink http]' 'url = https://127.0.0.1/' "ca-file = $scratch/ca" \
	"cert-file = $scratch/cert" "key-file = $scratch/key" "token-file = $scratch/open" \
	'[sink http two]' 'url = https://127.0.0.1/' 'user = a' "password-file = $scratch/empty" \
	"ca-file = $scratch/open" "cert-file = $scratch" "key-file = $scratch/secret" \
	'[sink archive]' "dir = $scratch/central"
says 8 "ca-file = $scratch/ca: No such file or directory: $correct"
says 9 "cert-file = $scratch/cert: No such file or directory: $correct"
says 10 "key-file = $scratch/key: No such file or directory: $correct"
says 11 "token-file = $scratch/open: readable by every user"
says 15 "password-file = $scratch/empty: expected a line"
says 17 "cert-file = $scratch: not a regular file: correct the path"
says 20 "warning: dir = $scratch/central: the folder does not exist: create it"
is 'messages' "$(wc -l <"$scratch/said")" 7
check 1 '' '[sink http]' 'url = https://127.0.0.1/' 'user = a' 'password-file = /nowhere/p'
says 9 "password-file = /nowhere/p: No such file or directory: $correct"
check 0 '' '[sink http]' 'url = https://127.0.0.1/' 'user = a' "password-file = $scratch/secret" \
	"ca-file = $scratch/open"
is 'all that is said' "$(cat "$scratch/said")" "$conf: no errors"

# A message about a wrong value has the number of the key's line.
check 1 '' '[sink http]' 'format = influx' 'url = http://ho st/'
says 8 '[sink http] url = http://ho st/: expected https://'
check 1 '' '[sink http]' 'url = http://host:99999/'
says 7 '[sink http] url = http://host:99999/: expected https://'
check 1 '' '[sink http]' 'url = http://host/' 'proxy = gopher://p:1'
says 8 '[sink http] proxy = gopher://p:1: expected http://HOST:PORT, https:// or socks5h://'
check 1 '' '[sink http]' 'url = http://host/' 'headers = A=b Content-Length=3'
says 8 '[sink http] headers = A=b Content-Length=3: Content-Length is set by libcurl'
if grep -q '^#define HAVE_RDKAFKA 1' config.h; then
	check 1 '' '[sink kafka]' 'brokers = b' 'options = no.such.option=1'
	says 8 '[sink kafka] options = no.such.option=1: No such configuration property'
fi
many=
i=1
while [ $i -le 33 ]; do
	many="$many
[sink xrootd s$i]
destination = 127.0.0.1:1"
	i=$((i + 1))
done
check 1 '' "$many"
says 71 '[sink xrootd s33]: too many sinks: at most 32; remove some'
is 'messages' "$(wc -l <"$scratch/said")" 1
