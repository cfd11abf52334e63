# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# engines.sh - configure and start the databases and brokers that tests and benchmarks use
#
# Source this file in tests/integration or tests/bench.

# clickhouse_files DIR: write the configuration DIR/server.xml, with ports 18123 (HTTP) and 19000 on
# the loopback address
clickhouse_files()
{
	mkdir -p "$1/data" "$1/tmp" "$1/formats"
	cat >"$1/users.xml" <<-X
	<?xml version="1.0"?><yandex>
	<profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
	<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
	<profile>default</profile><quota>default</quota></default></users>
	<quotas><default/></quotas></yandex>
	X
	cat >"$1/server.xml" <<-X
	<?xml version="1.0"?><yandex><logger><level>warning</level><log>$1/log.all</log>
	<errorlog>$1/log.errors</errorlog></logger><listen_host>127.0.0.1</listen_host>
	<http_port>18123</http_port><tcp_port>19000</tcp_port><path>$1/data/</path>
	<tmp_path>$1/tmp/</tmp_path><format_schema_path>$1/formats/</format_schema_path>
	<users_config>$1/users.xml</users_config><default_profile>default</default_profile>
	<default_database>default</default_database><mark_cache_size>100000000</mark_cache_size>
	<max_connections>4096</max_connections></yandex>
	X
}

# clickhouse_begin: start the server configured in $scratch/ch and create nodometer's tables; for
# tests that have sourced lib.sh
clickhouse_begin()
{
	background clickhouse-server --config-file="$scratch/ch/server.xml" \
		>"$scratch/clickhouse" 2>&1
	wait_until answers http://127.0.0.1:18123/ping ||
		die "no ClickHouse: $(tail -n 3 "$scratch/clickhouse")"
	clickhouse-client --port 19000 --multiquery <"$top/packaging/share/clickhouse.sql" \
		>"$scratch/log" 2>&1 || die "clickhouse.sql: $(cat "$scratch/log")"
}
ask() { clickhouse-client --port 19000 --query "$@"; }

# refusing_files DIR PERCENT: write DIR/nginx.conf for an nginx at port 18080 in front of
# ClickHouse, which refuses PERCENT of the requests, chosen at random, with a permanent error
refusing_files()
{
	cat >"$1/nginx.conf" <<-X
	user root;
	daemon off;
	worker_processes 1;
	pid $1/nginx.pid;
	error_log $1/nginx.log;
	events { }
	http {
		access_log off;
		client_body_temp_path $1/body;
		proxy_temp_path $1/proxy;
		fastcgi_temp_path $1/fastcgi;
		uwsgi_temp_path $1/uwsgi;
		scgi_temp_path $1/scgi;
		split_clients \$request_id \$refused { $2% 1; * ""; }
		server {
			listen 127.0.0.1:18080;
			client_max_body_size 64m;
			location / {
				if (\$refused) { return 400; }
				proxy_pass http://127.0.0.1:18123;
			}
		}
	}
	X
}

# rabbit_broker: print the path of RabbitMQ's broker itself: its wrapper would change the user
rabbit_broker()
{
	echo "$(dirname "$(readlink -f /usr/lib/rabbitmq/bin/rabbitmq-server)")/rabbitmq-server"
}

# rabbit_environment DIR: set the environment of RabbitMQ's broker, which then reads
# DIR/rabbitmq.conf and writes its pid to DIR/pid
rabbit_environment()
{
	echo '[].' >"$1/plugins"
	export HOME="$1" RABBITMQ_BASE="$1" RABBITMQ_MNESIA_BASE="$1/mnesia" \
		RABBITMQ_LOG_BASE="$1/broker" RABBITMQ_NODENAME=test@localhost \
		RABBITMQ_PID_FILE="$1/pid" RABBITMQ_ENABLED_PLUGINS_FILE="$1/plugins" \
		RABBITMQ_CONFIG_FILE="$1/rabbitmq"
}
