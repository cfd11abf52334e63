/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_fields.c - decode tracepoint records; libtraceevent parses the kernel's format files */
#include "tcp/trace_fields.h"

#ifdef HAVE_TRACEEVENT
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include "base/vec.h"

/*
 * Numeric fields of the tracepoints, and the members of struct tcp_event that store them. The field
 * cong_state of tcp_cong_state_set has 8 bits, fields with a socket state have 32.
 */
#define FIELD(name, field) \
	{ name, offsetof(struct tcp_event, field), sizeof(((struct tcp_event *)0)->field) }
static const struct {
	const char *name;
	size_t at, size;
} numbers[] = {
	FIELD("family",      family),
	FIELD("sport",       sport),
	FIELD("dport",       dport),
	FIELD("sock_cookie", cookie),
	FIELD("snd_cwnd",    snd_cwnd),
	FIELD("ssthresh",    ssthresh),
	FIELD("snd_wnd",     snd_wnd),
	FIELD("rcv_wnd",     rcv_wnd),
	FIELD("srtt",        srtt),
	FIELD("snd_nxt",     snd_nxt),
	FIELD("snd_una",     snd_una),
	FIELD("newstate",    new_state),
	FIELD("cong_state",  congestion_state),
};
/* the first fields of the table, which each tracepoint needs to identify the connection */
#define IDENTITY_FIELDS 3

struct tracepoint_fields {
	struct tep_format_field *number[ARRAY_SIZE(numbers)];
	struct tep_format_field *laddr, *raddr;
	uint16_t id;
};

struct trace_fields {
	struct tep_handle *tep;
	struct tracepoint_fields point[TRACE_KINDS];
};

int trace_fields_new(struct trace_fields **ret)
{
	struct trace_fields *f = xrealloc(NULL, sizeof(*f));

	*f = (struct trace_fields){ .tep = tep_alloc() };
	if (!f->tep) {
		free(f);
		return -ENOMEM;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(f->tep, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ?
			       TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(f->tep, sizeof(long));
	*ret = f;
	return 0;
}

void trace_fields_free(struct trace_fields *f)
{
	if (f)
		tep_free(f->tep);
	free(f);
}

/*
 * Find an address field by its two possible names: `socket` holds a socket address (tcp_probe);
 * `mapped` holds an IPv6 address or a mapped IPv4 address (all other tracepoints).
 */
static struct tep_format_field *fields_find_address(struct tep_event *event, const char *mapped,
						    const char *socket)
{
	struct tep_format_field *a = tep_find_field(event, mapped);
	if (a)
		return a->size == 16 ? a : NULL;
	a = tep_find_field(event, socket);
	return a && a->size >= (int)sizeof(struct sockaddr_in6) ? a : NULL;
}

int trace_fields_add(struct trace_fields *f, enum trace_kind kind, const char *system,
		     struct str format)
{
	struct tep_event *event = NULL;
	struct tracepoint_fields p = { .id = 0 };
	enum tep_errno e = tep_parse_format(f->tep, &event, format.p, format.n, system);

	if (e || !event || event->id <= 0 || event->id > UINT16_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		p.number[i] = tep_find_field(event, numbers[i].name);
		if (i < IDENTITY_FIELDS && !p.number[i])
			return -ENOMSG;
	}
	p.laddr = fields_find_address(event, "saddr_v6", "saddr");
	p.raddr = fields_find_address(event, "daddr_v6", "daddr");
	if (!p.laddr || !p.raddr)
		return -ENOMSG;
	p.id = (uint16_t)event->id;
	f->point[kind] = p;
	return 0;
}

uint16_t trace_fields_id(const struct trace_fields *f, enum trace_kind kind)
{
	return f->point[kind].id;
}

static bool fields_is_inside(const struct tep_format_field *a, size_t n)
{
	return a->offset >= 0 && a->size >= 0 && (size_t)a->offset + (size_t)a->size <= n;
}

static void fields_read_address(const struct tep_format_field *a, const char *record,
				unsigned char to[16])
{
	static const unsigned char mapped[12] = { [10] = 0xff, 0xff };
	const char *from = record + a->offset;
	sa_family_t family;

	memcpy(&family, from, sizeof(family));
	if (a->size == 16) {
		memcpy(to, from, 16);
	} else if (family == AF_INET) {
		memcpy(to, mapped, sizeof(mapped));
		memcpy(to + sizeof(mapped), from + offsetof(struct sockaddr_in, sin_addr), 4);
	} else {
		memcpy(to, from + offsetof(struct sockaddr_in6, sin6_addr), 16);
	}
}

static void fields_read_number(struct tep_format_field *from, size_t i, void *record,
			       struct tcp_event *ret)
{
	unsigned long long v = 0;
	uint16_t v16;
	uint32_t v32;

	if (tep_read_number_field(from, record, &v) != 0)
		return;
	v16 = (uint16_t)v;
	v32 = (uint32_t)v;
	memcpy((char *)ret + numbers[i].at, numbers[i].size == 2 ? (const void *)&v16 :
	       numbers[i].size == 4 ? (const void *)&v32 : (const void *)&v, numbers[i].size);
}

bool trace_fields_decode(const struct trace_fields *f, void *record, size_t n,
			 struct tcp_event *ret)
{
	const struct tracepoint_fields *p = f->point, *end = f->point + TRACE_KINDS;
	uint16_t id;	/* common_type, the first field of every record, is the tracepoint's id */

	if (n < sizeof(id))
		return false;
	memcpy(&id, record, sizeof(id));
	while (p < end && p->id != id)
		p++;
	if (p == end || !id || !fields_is_inside(p->laddr, n) || !fields_is_inside(p->raddr, n))
		return false;
	ret->kind = (enum trace_kind)(p - f->point);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!p->number[i])
			continue;
		if (!fields_is_inside(p->number[i], n))
			return false;
		fields_read_number(p->number[i], i, record, ret);
	}
	fields_read_address(p->laddr, record, ret->laddr);
	fields_read_address(p->raddr, record, ret->raddr);
	return true;
}
#endif
