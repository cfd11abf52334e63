# SPDX-License-Identifier: BSD-3-Clause
# clickhouse-cluster.awk - turn clickhouse.sql into the tables of a cluster of ClickHouse servers
#
#   awk -v CLUSTER=NAME -f clickhouse-cluster.awk clickhouse.sql | clickhouse-client --multiquery
#
# Run this on each server of the cluster, where NAME is a section of <remote_servers>. Each table
# becomes two: TABLE_local holds the data of a server, and TABLE spreads queries and inserts over
# the cluster. Records and rows are spread by host, runs by job. Send to the same table names as
# without a cluster.
#
# Replicas need ZooKeeper or ClickHouse Keeper, the macros {shard} and {replica}, and
# <internal_replication>true</internal_replication> in each <shard>, because the tables copy inserts
# to their replicas themselves. For a cluster without replicas, add -v REPLICATED=no. Servers before
# version 20.5 cannot send each other a column that they compute, such as day: add -v OLD=yes.
#
# Change the retention with ALTER TABLE nodometer.TABLE_local on each server.

# replicated(TEXT, TABLE): the line ENGINE = ... of a table, with the path of its replica
function replicated(text, table,    at, args)
{
	if (REPLICATED == "no")
		return text
	at = match(text, /[A-Za-z]*MergeTree/)
	args = substr(text, at + RLENGTH)
	gsub(/^[(]|[)] *$/, "", args)
	return "ENGINE = Replicated" substr(text, at, RLENGTH) "(" \
		"'/clickhouse/tables/{shard}/nodometer/" table "', '{replica}'" \
		(args == "" ? "" : ", " args) ")"
}

BEGIN {
	if (CLUSTER == "") {
		print "clickhouse-cluster.awk: want -v CLUSTER=NAME" >"/dev/stderr"
		exit 2
	}
}
/^--/ { next }
{ sub(/ +-- .*/, "") }
/^CREATE TABLE/ {
	table = $NF
	sub(/^nodometer[.]/, "", table)
	spread = "job"
	sub(/nodometer[.][a-z_]+$/, "&_local")
	columns = ""
	inside = 1
	print
	next
}
inside { columns = columns $0 "\n" }
/^[)]/ { inside = 0 }
table != "" && /(^|[ (])host String/ { spread = "host" }
table != "" && /^ENGINE = / {
	ends = sub(/;$/, "")
	$0 = replicated($0, table) (ends ? ";" : "")
}
/^CREATE MATERIALIZED VIEW/ { local = 1; sub(/ TO nodometer[.][a-z_]+/, "&_local") }
local && /^FROM / { sub(/nodometer[.][a-z_]+/, "&_local") }
{ print }
/;$/ {
	if (table != "" && OLD == "yes") {
		sub(/ MATERIALIZED /, " ALIAS ", columns)
		printf "\nCREATE TABLE IF NOT EXISTS nodometer.%s\n%s", table, columns
	} else if (table != "") {
		printf "\nCREATE TABLE IF NOT EXISTS nodometer.%s AS nodometer.%s_local\n",
			table, table
	}
	if (table != "")
		printf "ENGINE = Distributed(%s, nodometer, %s_local, cityHash64(%s));\n",
			CLUSTER, table, spread
	table = ""
	local = 0
}
