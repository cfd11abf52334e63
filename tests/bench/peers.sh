# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# peers.sh - run other agents at 1 Hz for comparison; sourced by bench.sh and noise.sh
. "$here/../e2e/free_port.sh"

cat >"$tmp/collectd.conf" <<END
Interval 1
BaseDir "$tmp"
PIDFile "$tmp/collectd.pid"
$(printf 'LoadPlugin %s\n' cpu memory vmem load processes disk interface nfs df swap)
END

# One client process asks node_exporter every second: curl 7.84 can wait between URLs of a list.
at=127.0.0.1:$(free_port)
pages="curl -s --rate 1/s -o /dev/null http://$at/metrics?[1-99999]"

# Rows of the table `rows`, see bench.sh
# shellcheck disable=SC2034
peers="sadc -S ALL, 1 Hz    |agent |/usr/lib/sysstat/sadc -S ALL 1 $tmp/sadc.out
collectd, 1 Hz       |agent |collectd -f -C $tmp/collectd.conf
node_exporter, 1 Hz  |agent |prometheus-node-exporter --web.listen-address=$at|$pages"
