/* SPDX-License-Identifier: BSD-3-Clause */
/* below.c - find devices on top of other devices, so that sums count each byte once */
#include "schema/below.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/vec.h"

/*
 * limit of the search from a device to the devices below it; the kernel allows stacks of 8
 * interfaces (MAX_NEST_DEV)
 */
#define DEPTH_MAX 32
#define NONE      UINT32_MAX
#define NOT_VISITED (UINT32_MAX - 1)
/* the search has entered this device; if it enters again, the devices form a cycle */
#define VISITING      (UINT32_MAX - 2)

/*
 * Rank of a device, by its name; names that match no pattern are HARDWARE. Without "$below" lines,
 * a device is assumed to be on top of others if its rank is above the lowest rank on the node.
 */
enum { NEVER = -1, HARDWARE, JOINED, SPLIT, VIRTUAL };
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
	{ "net",   "virbr*",         VIRTUAL    },
	{ "net",   "docker*",        VIRTUAL    },
	{ "net",   "cni*",           VIRTUAL    },
	{ "net",   "lxcbr*",         VIRTUAL    },
	{ "net",   "lxdbr*",         VIRTUAL    },
	{ "net",   "veth*",          VIRTUAL    },
	{ "net",   "cali*",          VIRTUAL    },
	{ "net",   "vnet*",          VIRTUAL    },
	{ "net",   "tap*",           VIRTUAL    },
	{ "net",   "tun*",           VIRTUAL    },
	{ "net",   "vxlan*",         VIRTUAL    },
	{ "net",   "flannel*",       VIRTUAL    },
	{ "net",   "wg[0-9]*",       VIRTUAL    },
	{ "net",   "gre*",           VIRTUAL    },
	{ "net",   "sit*",           VIRTUAL    },
	{ "net",   "dummy*",         VIRTUAL    },
	{ "net",   "ifb*",           VIRTUAL    },
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
	{ "block", "zd[0-9]*",       VIRTUAL    },
	{ "block", "loop*",          VIRTUAL    },
	/* all mounts have the same rank: names do not show which mounts share counters */
	{ "nfs",   "",               HARDWARE },
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

static uint32_t below_add_word(struct below *b, struct str word)
{
	size_t at = b->words.n;
	buf_add(&b->words, word);
	buf_add_char(&b->words, '\0');
	return (uint32_t)at;
}

static void below_add_pair(struct below *b, uint32_t type, uint32_t device, uint32_t lower)
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

	uint32_t t = below_add_word(b, type);
	if (!str_take_word(&line, &device)) {
		uint32_t none = below_add_word(b, STR(""));
		below_add_pair(b, t, none, none);
		return true;
	}
	uint32_t d = below_add_word(b, device);
	below_add_pair(b, t, d, below_add_word(b, STR("")));
	while (str_take_word(&line, &lower))
		if (!str_eq(lower, device))
			below_add_pair(b, t, d, below_add_word(b, lower));
	return true;
}

static const char *below_word(const struct below *b, uint32_t at)
{
	return b->words.p + at;
}

static int below_compare_pairs(const void *x, const void *y, void *arg)
{
	const struct below_pair *p = x, *q = y;
	const struct below *b = arg;
	int c = strcmp(below_word(b, p->type), below_word(b, q->type));
	if (c == 0)
		c = strcmp(below_word(b, p->device), below_word(b, q->device));
	return c ? c : strcmp(below_word(b, p->lower), below_word(b, q->lower));
}

static void below_sort_pairs(struct below *b)
{
	if (!b->sorted && b->n)
		qsort_r(b->pair, b->n, sizeof(*b->pair), below_compare_pairs, b);
	b->sorted = true;
}

static int below_compare_pair_to(const struct below *b, size_t i, struct str type,
				 struct str device)
{
	int c = str_cmp(str_of(below_word(b, b->pair[i].type)), type);
	return c ? c : str_cmp(str_of(below_word(b, b->pair[i].device)), device);
}

/*
 * Return the index of the first element of .pair with this type and device. If there is none,
 * return the index at which it would be inserted.
 */
static size_t below_find_pair(const struct below *b, struct str type, struct str device)
{
	size_t low = 0, high = b->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (below_compare_pair_to(b, mid, type, device) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool below_is_declared(struct below *b, struct str type)
{
	below_sort_pairs(b);
	size_t at = below_find_pair(b, type, STR(""));
	return at < b->n && str_eq(str_of(below_word(b, b->pair[at].type)), type);
}

bool below_has_rules(struct str type)
{
	for (size_t i = 0; i < ARRAY_SIZE(name_rules); i++)
		if (str_eq(type, str_of(name_rules[i].type)))
			return true;
	return false;
}

/* State of a search for the devices below each device of one type. */
struct below_search {
	const struct below *b;
	struct str type;
	const struct below_device *device;
	uint32_t *by_name;	/* indexes of .device, sorted by name */
	size_t n;
	/*
	 * An element for each element of b->pair. At the first pair of a device: index in .device
	 * of a counted device below this device, or NONE, NOT_VISITED or VISITING. At further pairs
	 * of the device: unused.
	 */
	uint32_t *below;
};

static int below_compare_names(const void *x, const void *y, void *arg)
{
	const struct below_device *d = arg;
	return str_cmp(d[*(const uint32_t *)x].name, d[*(const uint32_t *)y].name);
}

static void below_search_begin(struct below_search *s, const struct below *b, struct str type,
			       const struct below_device *d, size_t n)
{
	*s = (struct below_search){ .b = b, .type = type, .device = d, .n = n };
	s->by_name = xrealloc(NULL, (n + 1) * sizeof(*s->by_name));
	s->below = xrealloc(NULL, (b->n + 1) * sizeof(*s->below));
	for (size_t i = 0; i < n; i++)
		s->by_name[i] = (uint32_t)i;
	for (size_t i = 0; i < b->n; i++)
		s->below[i] = NOT_VISITED;
	qsort_r(s->by_name, n, sizeof(*s->by_name), below_compare_names, (void *)d);
}

static void below_search_end(struct below_search *s)
{
	free(s->by_name);
	free(s->below);
}

/* Return the index in .device of the device with this name, or NONE. */
static uint32_t below_find_device(const struct below_search *s, struct str name)
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

/* Return the index in b->pair of the first pair of a device, or b->n if there is none. */
static size_t below_find_first_pair(const struct below_search *s, struct str name)
{
	size_t at = below_find_pair(s->b, s->type, name);
	return at < s->b->n && below_compare_pair_to(s->b, at, s->type, name) == 0 ? at : s->b->n;
}

static uint32_t below_find_lower(struct below_search *s, size_t first, unsigned depth);

/*
 * Return the index in .device of a device that counts in place of the named device: a device below
 * the named device, or else the named device itself. Returns NONE if .device has neither, or if the
 * devices form a cycle: the search has already entered the named device.
 */
static uint32_t below_find_counted(struct below_search *s, struct str name, unsigned depth)
{
	size_t first = below_find_first_pair(s, name);
	uint32_t found = first < s->b->n ? s->below[first] : NONE;
	if (found == VISITING)
		return NONE;
	if (found == NOT_VISITED)
		found = depth < DEPTH_MAX ? below_find_lower(s, first, depth + 1) : NONE;
	return found == NONE ? below_find_device(s, name) : found;
}

/*
 * Return the index in .device of a counted device below the device whose first pair is `first`, or
 * NONE.
 */
static uint32_t below_find_lower(struct below_search *s, size_t first, unsigned depth)
{
	struct str name = str_of(below_word(s->b, s->b->pair[first].device));
	uint32_t found = NONE;

	s->below[first] = VISITING;
	for (size_t i = first; i < s->b->n && found == NONE; i++) {
		struct str lower = str_of(below_word(s->b, s->b->pair[i].lower));
		if (below_compare_pair_to(s->b, i, s->type, name) != 0)
			break;
		if (lower.n)
			found = below_find_counted(s, lower, depth);
	}
	return s->below[first] = found;
}

static void below_decide_by_pairs(struct below_search *s, struct below_device *d)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t first = below_find_first_pair(s, d[i].name);
		if (first == s->b->n || d[i].how == BELOW_NEVER)
			continue;
		uint32_t found = s->below[first] == NOT_VISITED ? below_find_lower(s, first, 0)
							      : s->below[first];
		if (found != NONE)
			d[i].how = BELOW_SAID;
	}
}

static int below_rank_of(struct str type, struct below_device *d)
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

static void below_infer(struct below_device *d, uint32_t at)
{
	if (at != NONE && d[at].how == BELOW_COUNTS)
		d[at].how = BELOW_INFERRED;
}

/*
 * Find interfaces on top of others by name: "eth0.1015" is on "eth0", and "eth0" on "peth0" (Xen).
 */
static void below_infer_interface(const struct below_search *s, struct below_device *d, size_t i)
{
	struct str name = d[i].name, parent = name;
	while (parent.n && parent.p[parent.n - 1] != '.')
		parent.n--;
	/* IPoIB child interfaces do not share their parent's counters */
	if (parent.n > 1 && !str_starts(name, STR("ib"))) {
		parent.n--;
		if (below_find_device(s, parent) != NONE)
			below_infer(d, (uint32_t)i);
	}
	if (str_starts(name, STR("peth")))
		below_infer(d, below_find_device(s, str_skip(name, 1)));
}

/*
 * Find disks on top of others by name: "nvme0n1" is on its path "nvme0c0n1". All kernels count the
 * I/O of paths; newer kernels also count the I/O of the disk.
 */
static void below_infer_disk(const struct below_search *s, struct below_device *d, size_t i)
{
	char disk[64];
	if (below_nvme_path(d[i].name, disk))
		below_infer(d, below_find_device(s, str_of(disk)));
}

/*
 * Set rank[] to the rank of each device (see name_rules), and .how to BELOW_NEVER for rank NEVER,
 * else to BELOW_COUNTS. Returns the lowest rank other than NEVER.
 */
static int below_set_ranks(struct str type, struct below_device *d, size_t n, int *rank)
{
	int lowest = VIRTUAL;
	for (size_t i = 0; i < n; i++) {
		rank[i] = below_rank_of(type, &d[i]);
		d[i].how = rank[i] == NEVER ? BELOW_NEVER : BELOW_COUNTS;
		if (rank[i] != NEVER && rank[i] < lowest)
			lowest = rank[i];
	}
	return lowest;
}

void below_decide(struct below *b, struct str type, struct below_device *d, size_t n)
{
	int *rank = xrealloc(NULL, (n + 1) * sizeof(*rank));
	int lowest = below_set_ranks(type, d, n, rank);
	bool said = below_is_declared(b, type);
	struct below_search s;

	below_search_begin(&s, b, type, d, n);
	if (said)
		below_decide_by_pairs(&s, d);
	for (size_t i = 0; !said && i < n; i++) {
		if (rank[i] > lowest)
			below_infer(d, (uint32_t)i);
		if (str_eq(type, STR("net")))
			below_infer_interface(&s, d, i);
		if (str_eq(type, STR("block")))
			below_infer_disk(&s, d, i);
	}
	below_search_end(&s);
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
