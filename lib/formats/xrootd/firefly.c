/* SPDX-License-Identifier: BSD-3-Clause */
/* firefly.c - parse SciTags fireflies, as sent by XRootD (5.4, XrdNetPMarkFF.cc) and flowd */
#include "formats/xrootd/firefly.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/system/host_port.h"
#include "base/when.h"
#include "formats/json_read.h"

#define NAME STR("firefly-json")

bool firefly_is(struct str datagram)
{
	return str_peek(datagram) == '<' && datagram.n > 1 && datagram.p[1] >= '0' &&
	       datagram.p[1] <= '9' && memmem(datagram.p, datagram.n, NAME.p, NAME.n);
}

/* Copy a string member of a JSON object. Returns false if the member is missing or too long. */
static bool firefly_take_text(struct str members, struct str name, char *to, size_t size)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	return json_add_text(&b, json_find(members, name)) &&
	       !(b.n && memchr(b.p, '\0', b.n)) && str_copy(to, size, buf_str(&b));
}

static bool firefly_take_number(struct str members, struct str name, uint64_t most, uint64_t *to)
{
	return json_as_u64(json_find(members, name), to) && *to <= most;
}

/*
 * Parse a time such as "2026-11-27T22:10:28.528031+00:00". The fraction is parsed here, because
 * when_take() accepts no fraction.
 */
static bool firefly_take_time(struct str members, struct str name, int64_t *usec)
{
	char text[48], plain[48];
	struct str rest, whole, fraction = STR("");
	int64_t below = 0;
	if (!firefly_take_text(members, name, text, sizeof(text)))
		return false;
	rest = whole = str_of(text);
	if (str_take_until(&rest, '.', &whole)) {
		fraction = rest;
		while (rest.n && *rest.p >= '0' && *rest.p <= '9')
			rest = str_skip(rest, 1);
		fraction.n -= rest.n;
	} else {
		rest.n = 0;
	}
	int64_t unit = 100000;
	for (size_t i = 0; i < fraction.n; i++, unit /= 10)
		below += (fraction.p[i] - '0') * unit;
	snprintf(plain, sizeof(plain), STR_FMT STR_FMT, STR_ARG(whole), STR_ARG(rest));
	if (!strchr(plain, 'T') || when_take(plain, 0, usec) < 0 || *usec <= 0)
		return false;
	*usec += below;
	return true;
}

static bool firefly_take_address(struct str members, struct str name, struct in6_addr *to)
{
	char text[INET6_ADDRSTRLEN];
	return firefly_take_text(members, name, text, sizeof(text)) && host_address(text, to);
}

static bool firefly_take_flow(struct str all, struct firefly *f)
{
	struct str members;
	uint64_t src, dst;
	if (!json_take_object(json_find(all, STR("flow-id")), &members) ||
	    !firefly_take_address(members, STR("src-ip"), &f->src) ||
	    !firefly_take_address(members, STR("dst-ip"), &f->dst) ||
	    !firefly_take_number(members, STR("src-port"), UINT16_MAX, &src) ||
	    !firefly_take_number(members, STR("dst-port"), UINT16_MAX, &dst))
		return false;
	f->src_port = (uint16_t)src;
	f->dst_port = (uint16_t)dst;
	return true;
}

static bool firefly_take_lifecycle(struct str all, struct firefly *f)
{
	static const char *const states[] = {
		[FIREFLY_START] = "start", [FIREFLY_ONGOING] = "ongoing", [FIREFLY_END] = "end",
	};
	struct str members;
	char state[16];
	size_t i = 0;
	if (!json_take_object(json_find(all, STR("flow-lifecycle")), &members) ||
	    !firefly_take_text(members, STR("state"), state, sizeof(state)) ||
	    !firefly_take_time(members, STR("start-time"), &f->start))
		return false;
	while (i < ARRAY_SIZE(states) && strcmp(state, states[i]) != 0)
		i++;
	f->state = (enum firefly_state)i;
	return i < FIREFLY_END || (i == FIREFLY_END &&
	       (firefly_take_time(members, STR("end-time"), &f->end) ||
		firefly_take_time(members, STR("current-time"), &f->end)));
}

static bool firefly_take_context(struct str all, struct firefly *f)
{
	struct str members;
	if (!json_take_object(json_find(all, STR("context")), &members) ||
	    !firefly_take_number(members, STR("experiment-id"), UINT32_MAX, &f->experiment) ||
	    !firefly_take_number(members, STR("activity-id"), UINT32_MAX, &f->activity))
		return false;
	if (!firefly_take_text(members, STR("application"), f->application, sizeof(f->application)))
		f->application[0] = '\0';
	return true;
}

/* Parse a decimal number such as "3.687". */
static bool firefly_take_decimal(struct str value, double *to)
{
	int64_t micros;
	if (!str_take_time(&value, &micros))
		return false;
	*to = (double)micros / 1e6;
	return true;
}

/* Read the byte counts and the round-trip time. Both may be missing. */
static void firefly_take_usage(struct str all, struct firefly *f)
{
	struct str members;
	f->has_usage = json_take_object(json_find(all, STR("usage")), &members) &&
		       firefly_take_number(members, STR("received"), INT64_MAX, &f->received) &&
		       firefly_take_number(members, STR("sent"), INT64_MAX, &f->sent);
	f->has_rtt = json_take_object(json_find(all, STR("netlink")), &members) &&
		     firefly_take_decimal(json_find(members, STR("rtt")), &f->rtt_ms);
}

/*
 * Read the hostname from the syslog header "<134>1 TIME HOST ...". A HOST of "-" means that the
 * sender gave no hostname.
 */
static void firefly_take_host(struct str head, struct firefly *f)
{
	struct str word = STR("");
	for (size_t i = 0; i < 3; i++)
		if (!str_take_word(&head, &word))
			return;
	if (!str_eq(word, STR("-")))
		str_copy(f->host, sizeof(f->host), word);
}

int firefly_read(struct str datagram, struct firefly *ret)
{
	const char *at = datagram.n ? memchr(datagram.p, '{', datagram.n) : NULL;
	struct firefly f = { .state = FIREFLY_START };
	struct str text = STR(""), all;
	if (at)
		text = str_trim(str_skip(datagram, (size_t)(at - datagram.p)));
	while (text.n && text.p[text.n - 1] == '\0')
		text.n--;
	if (!json_take_object(text, &all) || !firefly_take_lifecycle(all, &f) ||
	    !firefly_take_context(all, &f) ||
	    !firefly_take_flow(all, &f))
		return -EBADMSG;
	firefly_take_usage(all, &f);
	firefly_take_host(datagram, &f);
	*ret = f;
	return 0;
}
