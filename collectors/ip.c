/* SPDX-License-Identifier: BSD-3-Clause */
/* ip - packets of the Internet protocols, from /proc/net/snmp and snmp6 */
#include "collectors/collector.h"

/* The names of each key's counters: in snmp, counter .four of line .line; in snmp6, line .six. */
static const struct ip_names {
	struct str line, four, six;
} names[] = {
	{ STR("Ip:"),  STR("InDelivers"),    STR("Ip6InDelivers")       },
	{ STR("Ip:"),  STR("OutRequests"),   STR("Ip6OutRequests")      },
	{ STR("Ip:"),  STR("ForwDatagrams"), STR("Ip6OutForwDatagrams") },
	{ STR("Ip:"),  STR("OutDiscards"),   STR("Ip6OutDiscards")      },
	{ STR("Udp:"), STR("RcvbufErrors"),  STR("Udp6RcvbufErrors")    },
};

static void ip_set_snmp_key(struct row row, struct str line, struct str name, struct str value)
{
	uint64_t v;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i].four) && str_eq(line, names[i].line) &&
		    str_take_u64(&value, &v))
			row_set(row, i, v);
}

/*
 * Parse pairs of lines, "Ip: Forwarding DefaultTTL ..." and "Ip: 1 64 ..." (net/ipv4/proc.c,
 * snmp_seq_show()).
 */
static void ip_parse_snmp(struct row row, struct str text)
{
	struct str titles, values, line, again, name, value;
	while (str_take_line(&text, &titles) && str_take_line(&text, &values)) {
		if (!str_take_word(&titles, &line) || !str_take_word(&values, &again) ||
		    !str_eq(line, again))
			continue;
		while (str_take_word(&titles, &name) && str_take_word(&values, &value))
			ip_set_snmp_key(row, line, name, value);
	}
}

/* Parse lines "Ip6InDelivers        123". */
static void ip_parse_snmp6(struct row row, struct str text)
{
	struct str line, name;
	uint64_t v;
	while (str_take_line(&text, &line)) {
		if (!str_take_word(&line, &name) || !str_take_u64(&line, &v))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (str_eq(name, names[i].six))
				row_set(row, i, v);
	}
}

static int ip_collect(struct source *s)
{
	struct str text;
	if (source_read(s, "proc/net/snmp", &text) == 0)
		ip_parse_snmp(rows_add(&s->rows, STR("4")), text);
	if (source_read(s, "proc/net/snmp6", &text) == 0)
		ip_parse_snmp6(rows_add(&s->rows, STR("6")), text);
	return s->rows.n ? 0 : source_absent(s, "no /proc/net/snmp");
}

const struct collector ip_collector = {
	.type    = &ip_type,
	.collect = ip_collect,
};
