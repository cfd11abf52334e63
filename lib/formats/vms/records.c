/* SPDX-License-Identifier: BSD-3-Clause */
/* records.c - split a MONITOR recording into records, with or without length fields */
#include "formats/vms/records.h"

#include "formats/vms/fields.h"

/* value of a length field that marks the rest of a 512-byte block as unused */
#define NO_SPAN 0xFFFF
#define BLOCK 512
/* number of consecutive valid lengths that prove that a file has length fields */
#define CHAIN 3
#define CENTURY ((uint64_t)100 * 366 * 86400 * 10000000)
#define DAY     ((uint64_t)86400 * 10000000)

const char *vms_end_text(enum vms_end end)
{
	static const char *const text[] = {
		[VMS_END_WHOLE] = "ends after a whole record",
		[VMS_END_TORN] = "ends in the middle of a record, which is left out",
		[VMS_END_NOT_VMS] = "is not a MONITOR recording",
		[VMS_END_CUSTOMER_FIRST] = "has no record lengths and begins with a customer "
			"record, which cannot be read; transfer it in record mode",
		[VMS_END_UNKNOWN] = "has no record lengths, and a record of a type whose length is "
			"unknown; transfer it in record mode",
		[VMS_END_DAMAGED] = "is damaged: the following data are not a record",
		[VMS_END_UNREADABLE] = "cannot be read",
	};
	return text[end];
}

void vms_records_init(struct vms_records *r, const struct byte_source *src)
{
	*r = (struct vms_records){ .window.from = *src };
}

void vms_records_free(struct vms_records *r)
{
	buf_free(&r->window.bytes);
}

static size_t records_length_at(struct str s)
{
	struct wire w = wire_of(s);
	return field_take(&w, 2);
}

static bool records_lengths_chain(struct str s)
{
	for (int i = 0; i < CHAIN && s.n; i++) {
		size_t n = s.n >= 2 ? records_length_at(s) : 0;
		if (n == 0 || n > VMS_RECORD_MAX || n + 2 > s.n)
			return false;
		n += 2 + n % 2;
		s = str_skip(s, n < s.n ? n : s.n);
	}
	return true;
}

/* Detect if records have length fields. Returns false if the file is not a recording. */
static bool records_detect_framing(struct vms_records *r, enum vms_end *end)
{
	struct str s = window_ahead(&r->window, (CHAIN + 1) * (VMS_RECORD_MAX + 3));
	r->looked = true;
	*end = r->window.error ? VMS_END_UNREADABLE : VMS_END_NOT_VMS;
	if (s.n < 3)
		return false;
	unsigned char type = (unsigned char)s.p[2];
	r->framed = (records_length_at(s) == VMS_HEADER_BYTES && type == VMS_HEADER) ||
		    (type >= VMS_CUSTOMER && records_lengths_chain(s));
	if (r->framed)
		return true;
	if ((unsigned char)s.p[0] >= VMS_CUSTOMER)
		*end = VMS_END_CUSTOMER_FIRST;
	if (!vms_is_unframed(s))
		return false;
	struct wire w = wire_of(str_skip(s, 5));
	r->beginning = (int64_t)field_take(&w, 8);
	return true;
}

/*
 * Read the length field of the next record. Returns 0 if there is no record; *end has the reason.
 */
static size_t records_framed_length(struct vms_records *r, struct str *s, enum vms_end *end)
{
	*s = window_ahead(&r->window, 2);
	if (s->n >= 2 && records_length_at(*s) == NO_SPAN) {
		size_t rest = BLOCK - (r->window.offset + r->window.at) % BLOCK;
		*s = window_ahead(&r->window, rest + 2);
		size_t skip = rest < s->n ? rest : s->n;
		r->window.at += skip;
		*s = str_skip(*s, skip);
	}
	*end = s->n == 1 ? VMS_END_TORN : VMS_END_WHOLE;
	size_t n = s->n >= 2 ? records_length_at(*s) : 0;
	if (n == 0)	/* length 0: the rest of the file's last block is filled with zeros */
		return 0;
	if (n > VMS_RECORD_MAX) {
		*end = VMS_END_DAMAGED;
		return 0;
	}
	r->window.at += 2;
	*s = window_ahead(&r->window, n + n % 2);
	*end = VMS_END_TORN;
	return n <= s->n ? n : 0;
}

bool vms_is_unframed(struct str s)
{
	if (s.n < VMS_HEADER_BYTES || (unsigned char)*s.p != VMS_HEADER)
		return false;
	struct str ident = { s.p + 45, 8 };
	return str_take_prefix(&ident, STR("MON")) && str_is_u64(ident);
}

static bool records_all_zero(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i])
			return false;
	return true;
}

static bool records_is_class_header(struct str s, int64_t beginning)
{
	struct wire w = wire_of(str_skip(s, 3));
	return field_take(&w, 8) - (uint64_t)beginning + DAY < CENTURY;
}

/* Return true if a record can begin here, or if this is the end of the file. */
static bool records_can_continue(struct str s, int64_t beginning)
{
	if (s.n == 0)
		return true;
	unsigned char type = (unsigned char)*s.p;
	if (type < VMS_CLASSES)
		return s.n < VMS_CLASS_HEADER || records_is_class_header(s, beginning) ||
		       records_all_zero(s);
	return (type > VMS_HEADER && type <= VMS_FILE_NAME) || type >= VMS_CUSTOMER;
}

struct record_lengths {
	size_t n[4], count;
	/* size of class headers with this length; 0 for control records */
	size_t header[4];
};

static void records_add_length(struct record_lengths *l, size_t n, size_t header)
{
	if (n > VMS_RECORD_MAX || l->count == ARRAY_SIZE(l->n))
		return;
	l->header[l->count] = header;
	l->n[l->count++] = n;
}

static void records_add_class_lengths(struct record_lengths *l, struct str s, size_t header)
{
	unsigned char number = (unsigned char)*s.p;
	const struct vms_class *c = &vms_classes[number];
	size_t block = vms_block_bytes(c), aligned = vms_aligned_bytes(c);
	if (!c->component) {
		records_add_length(l, header + block, header);
		return;
	}
	struct wire w = wire_of(s.n > header ? str_skip(s, header) : STR(""));
	size_t n = field_take(&w, 4), before = header + VMS_CLASS_PREFIX;
	if (n > VMS_RECORD_MAX)
		return;
	if (aligned != block && header == VMS_CLASS_HEADER_V83)
		records_add_length(l, before + n * aligned, header);
	records_add_length(l, before + n * block, header);
}

/*
 * Return the lengths that the record may have. header: size of class headers in this file; 0:
 * unknown.
 */
static struct record_lengths records_possible_lengths(struct str s, size_t header)
{
	struct record_lengths l = { .count = 0 };
	unsigned char type = (unsigned char)*s.p;
	if (type == VMS_HEADER)
		records_add_length(&l, VMS_HEADER_BYTES, 0);
	else if (type == VMS_SYSTEM_INFO) {
		records_add_length(&l, VMS_NODE_BYTES, 0);
		records_add_length(&l, VMS_NODE_BYTES + 5, 0);
	} else if (type == VMS_NODE_GONE)
		records_add_length(&l, VMS_GONE_BYTES, 0);
	else if (type == VMS_FILE_NAME)
		records_add_length(&l, s.n > 1 ? 2 + (size_t)(unsigned char)s.p[1] : 2, 0);
	else if (type < VMS_CLASSES && vms_classes[type].item) {
		if (header != VMS_CLASS_HEADER_V83)
			records_add_class_lengths(&l, s, VMS_CLASS_HEADER);
		if (header != VMS_CLASS_HEADER)
			records_add_class_lengths(&l, s, VMS_CLASS_HEADER_V83);
	}
	return l;
}

/*
 * Remember the size of class headers that leads to the chosen length, if another record follows,
 * because that record confirms the length.
 */
static void records_learn_header_size(size_t *header, struct str s, const struct record_lengths *l,
				      size_t chosen)
{
	if (l->header[chosen] && s.n >= l->n[chosen] + VMS_CLASS_HEADER)
		*header = l->header[chosen];
}

/*
 * Return the length of the record at the start of s, from its contents. If several lengths are
 * possible, choose the first after which another record can begin. s: the next 2 * VMS_RECORD_MAX
 * bytes of the file, or fewer at its end. Returns 0 if s has no record; *end has the reason.
 */
static size_t records_unframed_length(struct vms_records *r, struct str s, enum vms_end *end)
{
	struct str head = { s.p, s.n < VMS_CLASS_HEADER ? s.n : VMS_CLASS_HEADER };
	*end = VMS_END_WHOLE;
	if (records_all_zero(head))
		return 0;
	struct record_lengths l = records_possible_lengths(s, r->class_header);
	*end = l.count ? VMS_END_TORN : VMS_END_UNKNOWN;
	for (size_t i = 0; i < l.count; i++) {
		if (l.n[i] > s.n)
			continue;
		if (records_can_continue(str_skip(s, l.n[i]), r->beginning)) {
			records_learn_header_size(&r->class_header, s, &l, i);
			return l.n[i];
		}
		*end = VMS_END_DAMAGED;
	}
	return 0;
}

bool vms_records_next(struct vms_records *r, struct str *ret, uint64_t *offset, enum vms_end *end)
{
	struct str s;
	size_t n;
	if (!r->looked && !records_detect_framing(r, end))
		return false;
	if (r->framed) {
		n = records_framed_length(r, &s, end);
	} else {
		s = window_ahead(&r->window, 2 * VMS_RECORD_MAX);
		n = records_unframed_length(r, s, end);
	}
	if (n == 0) {
		if (r->window.error)
			*end = VMS_END_UNREADABLE;
		return false;
	}
	*ret = (struct str){ s.p, n };
	*offset = r->window.offset + r->window.at;
	r->window.at += n;
	if (r->framed && n % 2 && n < s.n)
		r->window.at++;
	return true;
}
