/* SPDX-License-Identifier: BSD-3-Clause */
/* unframed.c - how long a record is where the transfer has dropped the lengths */
#include "formats/vms/unframed.h"

#include "formats/vms/fields.h"

#define CENTURY ((uint64_t)100 * 366 * 86400 * 10000000)
#define DAY     ((uint64_t)86400 * 10000000)

bool unframed_begins(struct str s)
{
	return s.n >= VMS_HEADER_BYTES && (unsigned char)*s.p == VMS_HEADER &&
	       memcmp(s.p + 45, "MON3005", 7) == 0;
}

static bool all_zero(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i])
			return false;
	return true;
}

static bool is_class_header(struct str s, int64_t beginning)
{
	struct wire w = wire_of(str_skip(s, 3));
	return field_take(&w, 8) - (uint64_t)beginning + DAY < CENTURY;
}

/* Another record may begin here, or the file ends. */
static bool goes_on(struct str s, int64_t beginning)
{
	if (s.n == 0)
		return true;
	unsigned char type = (unsigned char)*s.p;
	if (type < VMS_CLASSES)
		return s.n < VMS_CLASS_HEADER || is_class_header(s, beginning) || all_zero(s);
	return (type > VMS_HEADER && type <= VMS_FILE_NAME) || type >= VMS_CUSTOMER;
}

struct lengths {
	size_t n[4], count;
};

static void may_be(struct lengths *l, size_t n)
{
	if (n <= VMS_RECORD_MAX && l->count < ARRAY_SIZE(l->n))
		l->n[l->count++] = n;
}

static void of_class(struct lengths *l, struct str s, size_t header)
{
	unsigned char number = (unsigned char)*s.p;
	const struct vms_class *c = &vms_classes[number];
	size_t block = vms_block_bytes(c);
	if (!c->component) {
		may_be(l, header + block);
		return;
	}
	struct wire w = wire_of(s.n > header ? str_skip(s, header) : STR(""));
	size_t n = field_take(&w, 4), before = header + VMS_CLASS_PREFIX;
	if (n > VMS_RECORD_MAX)
		return;
	if (number == VMS_MODES && header == VMS_CLASS_HEADER_V83)
		block += 3;
	may_be(l, before + n * block);
}

/* header: of all class records of the file, 0 as long as that is not known. */
static struct lengths lengths_of(struct str s, size_t header)
{
	struct lengths l = { .count = 0 };
	unsigned char type = (unsigned char)*s.p;
	if (type == VMS_HEADER)
		may_be(&l, VMS_HEADER_BYTES);
	else if (type == VMS_SYSTEM_INFO) {
		may_be(&l, VMS_NODE_BYTES);
		may_be(&l, VMS_NODE_BYTES + 5);
	} else if (type == VMS_NODE_GONE)
		may_be(&l, VMS_GONE_BYTES);
	else if (type == VMS_FILE_NAME)
		may_be(&l, s.n > 1 ? 2 + (size_t)(unsigned char)s.p[1] : 2);
	else if (type < VMS_CLASSES && vms_classes[type].item) {
		if (header != VMS_CLASS_HEADER_V83)
			of_class(&l, s, VMS_CLASS_HEADER);
		if (header != VMS_CLASS_HEADER)
			of_class(&l, s, VMS_CLASS_HEADER_V83);
	}
	return l;
}

/* A whole record follows this one: so it was no guess. */
static void learn(size_t *header, struct str s, const struct lengths *l, size_t chosen)
{
	unsigned char type = (unsigned char)*s.p;
	if (type < VMS_CLASSES && l->count == 2 && s.n >= l->n[chosen] + VMS_CLASS_HEADER)
		*header = chosen ? VMS_CLASS_HEADER_V83 : VMS_CLASS_HEADER;
}

size_t unframed_length(struct vms_records *r, struct str s, enum vms_end *end)
{
	struct str head = { s.p, s.n < VMS_CLASS_HEADER ? s.n : VMS_CLASS_HEADER };
	*end = VMS_END_WHOLE;
	if (all_zero(head))
		return 0;
	struct lengths l = lengths_of(s, r->class_header);
	*end = l.count ? VMS_END_TORN : VMS_END_UNKNOWN;
	for (size_t i = 0; i < l.count; i++) {
		if (l.n[i] > s.n)
			continue;
		if (goes_on(str_skip(s, l.n[i]), r->beginning)) {
			learn(&r->class_header, s, &l, i);
			return l.n[i];
		}
		*end = VMS_END_DAMAGED;
	}
	return 0;
}
