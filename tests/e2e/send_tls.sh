#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_tls.sh - sinks for HTTP, AMQP, STOMP and Kafka report the same reason for a TLS failure
. "$(dirname "$0")/lib.sh"
for library in CURL RABBITMQ RDKAFKA; do
	grep -q "^#define HAVE_$library" config.h || skip "built without $library"
done
command -v openssl >/dev/null || skip 'no openssl'
getent hosts localhost >/dev/null || skip 'no address of localhost, as in a root without /etc/hosts'
mkdir -p "$archive/$host"
{
	printf '%s\n' "\$hpcperfstats 2.3.5" "\$hostname $host" '!vm a,E' \
		'!nodometer cpu,E bytes,E rows more'
	printf '\n1000 -\nvm - 1\nnodometer - 1 2 2 3\n'
} >"$archive/$host/1000"
ln "$archive/$host/1000" "$archive/$host/current"
echo secret >"$scratch/password"
chmod 600 "$scratch/password"

key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
# authority NAME: make a certificate authority. certificate NAME ADDRESS DAYS: make a certificate
# for ADDRESS, signed by the authority "ca".
authority() {
	# shellcheck disable=SC2086 # words
	openssl req -x509 $key -keyout "$scratch/$1.key" -out "$scratch/$1.pem" -days 2 \
		-subj "/CN=$1" 2>"$scratch/said" || fail "openssl: $(cat "$scratch/said")"
}
certificate() {
	# shellcheck disable=SC2086 # words
	openssl req $key -keyout "$scratch/$1.key" -out "$scratch/$1.csr" -subj "/CN=$2" \
		2>"$scratch/said" || fail "openssl: $(cat "$scratch/said")"
	echo "subjectAltName=DNS:$2" >"$scratch/names"
	openssl x509 -req -in "$scratch/$1.csr" -CA "$scratch/ca.pem" -CAkey "$scratch/ca.key" \
		-CAcreateserial -days "$3" -extfile "$scratch/names" -out "$scratch/$1.pem" \
		2>"$scratch/said" || fail "openssl: $(cat "$scratch/said")"
}
# listens NAME: start a TLS server with certificate NAME on $port
listens() {
	port=$(free_port)
	openssl s_server -accept "127.0.0.1:$port" -cert "$scratch/$1.pem" -key "$scratch/$1.key" \
		-quiet >/dev/null 2>&1 </dev/null 3>&- &
	pids="$pids $!"
	wait_until 20 connects
}
connects() { grep -q ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp; }

# says CA TLS WORDS: with ca-file CA and "tls = TLS", all sinks must report WORDS for the server on
# $port
says() {
	scheme=http
	[ "$2" = no ] || scheme=https
	login="user = a\npassword-file = $scratch/password"
	write_config '[send]' "state-dir = $scratch/state" \
		'[sink http]' "url = $scheme://localhost:$port/" "ca-file = $scratch/$1.pem" \
		'[sink amqp]' "broker = localhost:$port" "$(printf '%b' "$login")" "tls = $2" \
		"ca-file = $scratch/$1.pem" \
		'[sink stomp]' "broker = localhost:$port" "$(printf '%b' "$login")" "tls = $2" \
		"ca-file = $scratch/$1.pem" 'destination = /queue/x' \
		'[sink kafka]' "brokers = localhost:$port" "tls = $2" "ca-file = $scratch/$1.pem" \
		'options = message.timeout.ms=2000'
	"$bin/nodometer-send" --config "$conf" --once 2>"$scratch/said"
	for sink in http amqp stomp kafka; do
		grep "\[sink $sink\].*$port" "$scratch/said" | grep -q "$3" ||
			fail "$sink does not say $3: $(cat "$scratch/said")"
	done
}

authority ca
authority unknown
certificate old localhost 0
certificate other elsewhere.example 2
certificate good localhost 2
listens old
says ca yes 'certificate expired ('
says unknown yes 'certificate of an unknown CA; see ca-file ('
listens good
says ca no 'plain [A-Za-z]* sent to a TLS port'
listens other
write_config '[send]' "state-dir = $scratch/state" '[sink amqp]' "broker = localhost:$port" \
	'user = a' "password-file = $scratch/password" "ca-file = $scratch/ca.pem"
"$bin/nodometer-send" --config "$conf" --once 2>"$scratch/said"
grep -q "localhost:$port: certificate for another name (" "$scratch/said" ||
	fail "$(cat "$scratch/said")"
