/* SPDX-License-Identifier: BSD-3-Clause */
/* below.c - which devices stand on which, so that each byte is counted once, at the lowest */
#include "schema/below.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/vec.h"

#define DEPTH_MAX 32	/* the kernel stacks interfaces 8 deep (MAX_NEST_DEV) */
#define NONE      UINT32_MAX
#define NOT_ASKED (UINT32_MAX - 1)
#define BUSY      (UINT32_MAX - 2)	/* asked on the way to itself: a circle */

/*
 * The rank of a device by its name. Wires and disks are HARDWARE, and so are names that fit no
 * pattern. A device of higher rank stands on those, if there are any, or else on devices of the
 * lowest rank.
 */
enum { NEVER = -1, HARDWARE, JOINED, SPLIT, GUEST };
static const struct name_rule {
	const char *type, *pattern;
	int rank;
} name_rules[] = {
	{ "net",   "lo",             NEVER    },
	{ "net",   "eth[0-9]*",      HARDWARE },
	{ "net",   "en[ospxPb]*",    HARDWARE },
	{ "net",   "em[0-9]*",       HARDWARE },
	{ "net",   "p[0-9]*p[0-9]*", HARDWARE },
	{ "net",   "ib[0-9s]*",      HARDWARE },
	{ "net",   "hsn[0-9]*",      HARDWARE },
	{ "net",   "bond*",          JOINED   },
	{ "net",   "team*",          JOINED   },
	{ "net",   "br[0-9-]*",      SPLIT    },
	{ "net",   "bridge*",        SPLIT    },
	{ "net",   "vlan*",          SPLIT    },
	{ "net",   "macv*",          SPLIT    },
	{ "net",   "ipvl*",          SPLIT    },
	{ "net",   "virbr*",         GUEST    },
	{ "net",   "docker*",        GUEST    },
	{ "net",   "cni*",           GUEST    },
	{ "net",   "lxcbr*",         GUEST    },
	{ "net",   "lxdbr*",         GUEST    },
	{ "net",   "veth*",          GUEST    },
	{ "net",   "cali*",          GUEST    },
	{ "net",   "vnet*",          GUEST    },
	{ "net",   "tap*",           GUEST    },
	{ "net",   "tun*",           GUEST    },
	{ "net",   "vxlan*",         GUEST    },
	{ "net",   "flannel*",       GUEST    },
	{ "net",   "wg[0-9]*",       GUEST    },
	{ "net",   "gre*",           GUEST    },
	{ "net",   "sit*",           GUEST    },
	{ "net",   "dummy*",         GUEST    },
	{ "net",   "ifb*",           GUEST    },
	{ "block", "ram[0-9]*",      NEVER    },
	{ "block", "zram[0-9]*",     NEVER    },
	{ "block", "[shvf]d*",       HARDWARE },
	{ "block", "xvd*",           HARDWARE },
	{ "block", "sr[0-9]*",       HARDWARE },
	{ "block", "nvme*",          HARDWARE },
	{ "block", "dasd*",          HARDWARE },
	{ "block", "cciss*",         HARDWARE },
	{ "block", "pmem*",          HARDWARE },
	{ "block", "mmcblk*",        HARDWARE },
	{ "block", "md[0-9_]*",      JOINED   },
	{ "block", "bcache*",        JOINED   },
	{ "block", "dm-*",           SPLIT    },
	{ "block", "drbd*",          SPLIT    },
	{ "block", "zd[0-9]*",       GUEST    },
	{ "block", "loop*",          GUEST    },
	{ "nfs",   "",               HARDWARE },	/* no name says anything */
};

void below_clear(struct below *b)
{
	b->words.n = b->n = 0;
}

void below_free(struct below *b)
{
	buf_free(&b->words);
	free(b->pair);
	*b = (struct below){ 0 };
}

static uint32_t add_word(struct below *b, struct str word)
{
	size_t at = b->words.n;
	buf_add(&b->words, word);
	buf_add_char(&b->words, '\0');
	return (uint32_t)at;
}

static void add_pair(struct below *b, uint32_t type, uint32_t device, uint32_t lower)
{
	b->pair = vec_reserve(b->pair, &b->cap, b->n + 1, sizeof(*b->pair));
	b->pair[b->n++] = (struct below_pair){ type, device, lower };
	b->sorted = false;
}

bool below_add(struct below *b, struct str line)
{
	struct str type, device, lower;
	if (!str_take_word(&line, &type) || b->words.n > UINT32_MAX / 2)
		return false;

	uint32_t t = add_word(b, type);
	if (!str_take_word(&line, &device)) {
		uint32_t none = add_word(b, STR(""));
		add_pair(b, t, none, none);
		return true;
	}
	uint32_t d = add_word(b, device);
	add_pair(b, t, d, add_word(b, STR("")));
	while (str_take_word(&line, &lower))
		if (!str_eq(lower, device))
			add_pair(b, t, d, add_word(b, lower));
	return true;
}

static const char *word(const struct below *b, uint32_t at)
{
	return b->words.p + at;
}

static int by_name(const void *x, const void *y, void *arg)
{
	const struct below_pair *p = x, *q = y;
	const struct below *b = arg;
	int c = strcmp(word(b, p->type), word(b, q->type));
	if (c == 0)
		c = strcmp(word(b, p->device), word(b, q->device));
	return c ? c : strcmp(word(b, p->lower), word(b, q->lower));
}

static void sort(struct below *b)
{
	if (!b->sorted && b->n)
		qsort_r(b->pair, b->n, sizeof(*b->pair), by_name, b);
	b->sorted = true;
}

static int compare(const struct below *b, size_t i, struct str type, struct str device)
{
	int c = str_cmp(str_of(word(b, b->pair[i].type)), type);
	return c ? c : str_cmp(str_of(word(b, b->pair[i].device)), device);
}

/* The first pair that is not before this device. */
static size_t find_pair(const struct below *b, struct str type, struct str device)
{
	size_t low = 0, high = b->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (compare(b, mid, type, device) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool below_says(struct below *b, struct str type)
{
	sort(b);
	size_t at = find_pair(b, type, STR(""));
	return at < b->n && str_eq(str_of(word(b, b->pair[at].type)), type);
}

bool below_has_rules(struct str type)
{
	for (size_t i = 0; i < ARRAY_SIZE(name_rules); i++)
		if (str_eq(type, str_of(name_rules[i].type)))
			return true;
	return false;
}

/* A search in one type: its devices by name, and the lines of those that have lines. */
struct below_search {
	const struct below *b;
	struct str type;
	const struct below_device *device;
	uint32_t *by_name;
	size_t n;
	uint32_t *below;	/* of the device whose first pair it is: one that counts for it */
};

static int by_device(const void *x, const void *y, void *arg)
{
	const struct below_device *d = arg;
	return str_cmp(d[*(const uint32_t *)x].name, d[*(const uint32_t *)y].name);
}

static void begin(struct below_search *s, const struct below *b, struct str type,
		  const struct below_device *d, size_t n)
{
	*s = (struct below_search){ .b = b, .type = type, .device = d, .n = n };
	s->by_name = xrealloc(NULL, (n + 1) * sizeof(*s->by_name));
	s->below = xrealloc(NULL, (b->n + 1) * sizeof(*s->below));
	for (size_t i = 0; i < n; i++)
		s->by_name[i] = (uint32_t)i;
	for (size_t i = 0; i < b->n; i++)
		s->below[i] = NOT_ASKED;
	qsort_r(s->by_name, n, sizeof(*s->by_name), by_device, (void *)d);
}

static void end(struct below_search *s)
{
	free(s->by_name);
	free(s->below);
}

/* The place of a name among the devices, or NONE. */
static uint32_t find_device(const struct below_search *s, struct str name)
{
	size_t low = 0, high = s->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = str_cmp(s->device[s->by_name[mid]].name, name);
		if (c == 0)
			return s->by_name[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NONE;
}

/* The first pair of a device, or .b->n: nothing is said of it. */
static size_t find_first(const struct below_search *s, struct str name)
{
	size_t at = find_pair(s->b, s->type, name);
	return at < s->b->n && compare(s->b, at, s->type, name) == 0 ? at : s->b->n;
}

static uint32_t find_below(struct below_search *s, size_t first, unsigned depth);

/* The device itself, or what counts for it; NONE also in a circle. */
static uint32_t find_counted(struct below_search *s, struct str name, unsigned depth)
{
	size_t first = find_first(s, name);
	uint32_t found = first < s->b->n ? s->below[first] : NONE;
	if (found == BUSY)
		return NONE;
	if (found == NOT_ASKED)
		found = depth < DEPTH_MAX ? find_below(s, first, depth + 1) : NONE;
	return found == NONE ? find_device(s, name) : found;
}

/* Of the device whose pairs begin there: one below it that counts, or NONE. */
static uint32_t find_below(struct below_search *s, size_t first, unsigned depth)
{
	struct str name = str_of(word(s->b, s->b->pair[first].device));
	uint32_t found = NONE;

	s->below[first] = BUSY;
	for (size_t i = first; i < s->b->n && found == NONE; i++) {
		struct str lower = str_of(word(s->b, s->b->pair[i].lower));
		if (compare(s->b, i, s->type, name) != 0)
			break;
		if (lower.n)
			found = find_counted(s, lower, depth);
	}
	return s->below[first] = found;
}

static void decide_as_said(struct below_search *s, struct below_device *d)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t first = find_first(s, d[i].name);
		if (first == s->b->n || d[i].how == BELOW_NEVER)
			continue;
		uint32_t found = s->below[first] == NOT_ASKED ? find_below(s, first, 0)
							      : s->below[first];
		if (found != NONE)
			d[i].how = BELOW_SAID;
	}
}

static int rank_of(struct str type, struct below_device *d)
{
	char name[128];
	str_copy(name, sizeof(name), d->name);
	d->hardware = false;
	for (size_t i = 0; i < ARRAY_SIZE(name_rules); i++)
		if (str_eq(type, str_of(name_rules[i].type)) &&
		    fnmatch(name_rules[i].pattern, name, 0) == 0) {
			d->hardware = name_rules[i].rank == HARDWARE;
			return name_rules[i].rank;
		}
	return HARDWARE;
}

bool below_nvme_path(struct str name, char disk[64])
{
	uint64_t subsystem, controller, n;
	if (!str_take_prefix(&name, STR("nvme")) || !str_take_u64(&name, &subsystem) ||
	    !str_take_prefix(&name, STR("c")) || !str_take_u64(&name, &controller) ||
	    !str_take_prefix(&name, STR("n")) || !str_take_u64(&name, &n) || name.n)
		return false;
	snprintf(disk, 64, "nvme%" PRIu64 "n%" PRIu64, subsystem, n);
	return true;
}

static void infer(struct below_device *d, uint32_t at)
{
	if (at != NONE && d[at].how == BELOW_COUNTS)
		d[at].how = BELOW_INFERRED;
}

/* "eth0.1015" on "eth0", "eth0" on "peth0" (Xen): where both are there. */
static void infer_interface(const struct below_search *s, struct below_device *d, size_t i)
{
	struct str name = d[i].name, parent = name;
	while (parent.n && parent.p[parent.n - 1] != '.')
		parent.n--;
	if (parent.n > 1 && !str_starts(name, STR("ib"))) {	/* IPoIB's children count alone */
		parent.n--;
		if (find_device(s, parent) != NONE)
			infer(d, (uint32_t)i);
	}
	if (str_starts(name, STR("peth")))
		infer(d, find_device(s, str_skip(name, 1)));
}

/* "nvme0n1" on "nvme0c0n1": kernels count at the paths, newer ones at the disk, too. */
static void infer_disk(const struct below_search *s, struct below_device *d, size_t i)
{
	char disk[64];
	if (below_nvme_path(d[i].name, disk))
		infer(d, find_device(s, str_of(disk)));
}

/* Also where no header says it, these are no wires and no disks. */
static int set_ranks(struct str type, struct below_device *d, size_t n, int *rank)
{
	int lowest = GUEST;
	for (size_t i = 0; i < n; i++) {
		rank[i] = rank_of(type, &d[i]);
		d[i].how = rank[i] == NEVER ? BELOW_NEVER : BELOW_COUNTS;
		if (rank[i] != NEVER && rank[i] < lowest)
			lowest = rank[i];
	}
	return lowest;
}

void below_decide(struct below *b, struct str type, struct below_device *d, size_t n)
{
	int *rank = xrealloc(NULL, (n + 1) * sizeof(*rank));
	int lowest = set_ranks(type, d, n, rank);
	bool said = below_says(b, type);
	struct below_search s;

	begin(&s, b, type, d, n);
	if (said)
		decide_as_said(&s, d);
	for (size_t i = 0; !said && i < n; i++) {
		if (rank[i] > lowest)
			infer(d, (uint32_t)i);
		if (str_eq(type, STR("net")))
			infer_interface(&s, d, i);
		if (str_eq(type, STR("block")))
			infer_disk(&s, d, i);
	}
	end(&s);
	free(rank);
}

void below_part_set(struct below_part *p, bool out, uint64_t total)
{
	if (out == p->out)
		return;
	if (out)
		p->from = total;
	else
		p->without += total - p->from;
	p->out = out;
}
