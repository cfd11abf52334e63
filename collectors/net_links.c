/* SPDX-License-Identifier: BSD-3-Clause */
/* net_links.c - read the counters of all network interfaces with one rtnetlink request */
#include "collectors/net_links.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "base/vec.h"
#include "schema/types/net.h"

#define LINKS_MAX ROWS_OF_TYPE_MAX
#define PARTS_MAX 4096

/*
 * Buffer sizes in bytes. Start small: for each part of an answer, the kernel allocates the largest
 * buffer size that recv(2) has passed on the socket so far, at least a page and at most 32 KiB
 * (net/netlink/af_netlink.c, netlink_dump()). Allocating 32 KiB would take an eighth of the time of
 * an answer for two interfaces.
 */
#define PART_FIRST 3584u
#define PART_MAX   (64u << 10)
#define PARTS_MANY 4	/* after an answer of more parts than this, use a buffer of PART_MAX */

struct net_link {
	int index;
	bool up;
	char name[IFNAMSIZ];
};

/* State between samples. */
struct net_links {
	int socket;		/* netlink socket; 0: not open */
	size_t part;		/* size of the buffer for one recv(2) */
	bool unsupported;
	bool known;		/* .link has all interfaces that exist */
	bool saw_unknown;	/* an unknown interface has appeared */
	uint32_t sequence;
	const size_t *offset;
	size_t n, cap;
	size_t at;		/* index in .link at which to search first */
	struct net_link *link;
};

/*
 * Find an attribute of a message whose fixed part has `fixed` bytes. Returns an empty string if the
 * message lacks the attribute.
 */
static struct str attribute(const struct nlmsghdr *h, size_t fixed, unsigned type)
{
	struct str rest = { (const char *)h, h->nlmsg_len };
	size_t at = NLMSG_SPACE(fixed);
	struct rtattr a;

	while (at + sizeof(a) <= rest.n) {
		memcpy(&a, rest.p + at, sizeof(a));
		if (a.rta_len < sizeof(a) || a.rta_len > rest.n - at)
			break;
		if ((a.rta_type & NLA_TYPE_MASK) == type)
			return (struct str){ rest.p + at + RTA_LENGTH(0),
					     a.rta_len - RTA_LENGTH(0) };
		at += RTA_ALIGN(a.rta_len);
	}
	return (struct str){ "", 0 };
}

static void net_links_add_name(struct source *s, const struct nlmsghdr *h)
{
	struct net_links *l = s->state;
	const struct ifinfomsg *info = NLMSG_DATA(h);
	struct str name = attribute(h, sizeof(*info), IFLA_IFNAME);
	if (h->nlmsg_type != RTM_NEWLINK || name.n == 0 || l->n == LINKS_MAX)
		return;

	l->link = vec_reserve(l->link, &l->cap, l->n + 1, sizeof(*l->link));
	struct net_link *link = &l->link[l->n++];
	*link = (struct net_link){ .index = info->ifi_index, .up = info->ifi_flags & IFF_UP };
	str_copy(link->name, sizeof(link->name), (struct str){ name.p, strnlen(name.p, name.n) });
}

static const struct net_link *find_link(struct net_links *l, int index)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t at = l->at + i < l->n ? l->at + i : l->at + i - l->n;
		if (l->link[at].index == index) {
			l->at = at + 1 < l->n ? at + 1 : 0;
			return &l->link[at];
		}
	}
	return NULL;
}

_Static_assert(NET_KEYS <= 64, "row.present is one word");

static void net_links_add_counters(struct source *s, const struct nlmsghdr *h)
{
	struct net_links *l = s->state;
	const struct if_stats_msg *stats = NLMSG_DATA(h);
	struct str counters = attribute(h, sizeof(*stats), IFLA_STATS_LINK_64);
	if (h->nlmsg_type != RTM_NEWSTATS || counters.n == 0)
		return;
	const struct net_link *link = find_link(l, (int)stats->ifindex);
	if (!link)
		l->saw_unknown = true;
	if (!link || !link->up)
		return;

	struct row row = rows_add(&s->rows, str_of(link->name));
	uint64_t v, present = 0;
	for (size_t i = 0; i < s->rows.n_metrics; i++) {
		if (l->offset[i] + sizeof(v) > counters.n)
			continue;	/* this kernel lacks the counter */
		memcpy(&v, counters.p + l->offset[i], sizeof(v));
		row.value[i] = v;
		present |= (uint64_t)1 << i;
	}
	*row.present = present;
}

/* Return the error in a message NLMSG_ERROR or NLMSG_DONE: 0 or -errno. */
static int carried_error(const struct nlmsghdr *h)
{
	int r = 0;
	if (h->nlmsg_len >= NLMSG_SPACE(sizeof(r)))
		memcpy(&r, NLMSG_DATA(h), sizeof(r));
	return r < 0 ? r : 0;
}

/*
 * Process a part of an answer. Returns 1 if this is the last part, 0 if more follow, or the
 * kernel's -errno.
 */
static int net_links_handle_part(struct source *s, struct str part, size_t fixed,
				 void (*take)(struct source *s, const struct nlmsghdr *h))
{
	while (part.n >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *h = (const void *)part.p;
		if (h->nlmsg_len < sizeof(*h) || h->nlmsg_len > part.n)
			return -EBADMSG;

		size_t body = h->nlmsg_len - sizeof(*h);
		bool ours = h->nlmsg_seq == ((struct net_links *)s->state)->sequence;
		if (ours && (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)) {
			int r = carried_error(h);
			return r < 0 ? r : 1;
		}
		if (ours && body >= fixed)
			take(s, h);
		size_t n = NLMSG_ALIGN(h->nlmsg_len);
		part = str_skip(part, n < part.n ? n : part.n);
	}
	return 0;
}

/*
 * Send a request and process all parts of the answer. This does not wait, because the kernel
 * generates each part within the call of recv(2) that receives it.
 */
static int net_links_request(struct source *s, struct nlmsghdr *question, size_t fixed,
			     void (*take)(struct source *s, const struct nlmsghdr *h))
{
	question->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	struct net_links *l = s->state;
	question->nlmsg_seq = ++l->sequence;
	if (send(l->socket, question, question->nlmsg_len, 0) < 0)
		return -errno;

	s->text.n = 0;
	const size_t size = l->part;
	buf_reserve(&s->text, size);
	for (int i = 0; i < PARTS_MAX; i++) {
		ssize_t got = recv(l->socket, s->text.p, size, MSG_DONTWAIT | MSG_TRUNC);
		if (i == PARTS_MANY)
			l->part = PART_MAX;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if ((size_t)got > size)
			return -EMSGSIZE;
		s->bytes += (size_t)got;
		int r = net_links_handle_part(s, (struct str){ s->text.p, (size_t)got }, fixed,
					      take);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	return -EMSGSIZE;
}

static int net_links_request_names(struct source *s)
{
	struct net_links *l = s->state;
	struct {
		struct nlmsghdr head;
		struct ifinfomsg body;
		struct rtattr attr;
		uint32_t mask;
	} question = {
		.head = { .nlmsg_len = sizeof(question), .nlmsg_type = RTM_GETLINK },
		.attr = { .rta_len = RTA_LENGTH(sizeof(question.mask)), .rta_type = IFLA_EXT_MASK },
		.mask = RTEXT_FILTER_SKIP_STATS,
	};
	l->n = l->at = 0;
	l->saw_unknown = false;
	int r = net_links_request(s, &question.head, sizeof(question.body), net_links_add_name);
	l->known = r == 0;
	return r;
}

static int net_links_request_counters(struct source *s)
{
	struct {
		struct nlmsghdr head;
		struct if_stats_msg body;
	} question = {
		.head = { .nlmsg_len = sizeof(question), .nlmsg_type = RTM_GETSTATS },
		.body = { .filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64) },
	};
	rows_clear(&s->rows);
	return net_links_request(s, &question.head, sizeof(question.body), net_links_add_counters);
}

static void net_links_free_state(void *state)
{
	struct net_links *l = state;
	if (l->socket)
		close_fd(&l->socket);
	free(l->link);
}

static int net_links_read(struct source *s)
{
	struct net_links *l = s->state;
	int r = 0;
	if (!l->socket)
		l->socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (l->socket < 0)
		return -errno;
	if (!l->known || s->rescan)
		r = net_links_request_names(s);
	if (r == 0)
		r = net_links_request_counters(s);
	if (r < 0 || !l->saw_unknown)
		return r;
	s->rescan = true;
	r = net_links_request_names(s);
	return r < 0 ? r : net_links_request_counters(s);
}

/* Close the socket, and discard the rest of an answer. */
static void close_links(struct source *s, struct net_links *l)
{
	rows_clear(&s->rows);
	close_fd(&l->socket);
	l->socket = 0;
}

static bool means_unsupported(int r)
{
	return r == -EOPNOTSUPP || r == -EINVAL || r == -EAFNOSUPPORT || r == -EPROTONOSUPPORT ||
	       r == -EPERM || r == -EACCES;
}

int net_links_collect(struct source *s, const size_t *offset)
{
	struct net_links *l = source_state(s, sizeof(*l));
	s->end_state = net_links_free_state;
	if (l->unsupported)
		return -EOPNOTSUPP;
	l->offset = offset;
	if (!l->part)
		l->part = PART_FIRST;
	int r = net_links_read(s);
	if (r == -EMSGSIZE && l->part < PART_MAX) {
		close_links(s, l);
		l->part = PART_MAX;
		r = net_links_read(s);
	}
	if (r == 0)
		return s->rows.n ? 0 : source_absent(s, "no network interface is up");

	close_links(s, l);
	l->unsupported = means_unsupported(r);
	snprintf(s->why, sizeof(s->why), "rtnetlink: %s", strerror(-r));
	return l->unsupported ? -EOPNOTSUPP : r;
}
