# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# prometheus.sh - start a Prometheus server for a test, at port 19090
#
# Source this file after lib.sh, in a network namespace.
# shellcheck disable=SC2154 # lib.sh sets $scratch

# prometheus_starts: start Prometheus with the configuration on standard input; its log is
# prometheus.log
prometheus_starts()
{
	cat >"$scratch/prometheus.yml"
	background prometheus --config.file="$scratch/prometheus.yml" \
		--storage.tsdb.path="$scratch/tsdb" --web.listen-address=127.0.0.1:19090 \
		--web.enable-remote-write-receiver --log.level=warn 2>"$scratch/prometheus.log"
}

# value QUERY [PARAMETER]: print the value of each series that QUERY finds; PARAMETER may be
# time=SECONDS
value()
{
	curl -sS -G --data-urlencode "query=$1" ${2:+-d "$2"} \
		http://127.0.0.1:19090/api/v1/query 2>"$scratch/err" |
		jq -r '.data.result[].value[1]' 2>"$scratch/err"
}
