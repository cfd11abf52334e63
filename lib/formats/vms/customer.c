/* SPDX-License-Identifier: BSD-3-Clause */
/* customer.c - nodometer's customer record, for data that MONITOR has no field for */
#include "formats/vms/control.h"

#include <string.h>
#include "formats/vms/fields.h"

#define MAGIC "NODOMETER1\n"

static void customer_put_absent(struct buf *b, const struct vms_class *c, size_t number,
				uint16_t absent)
{
	if (!absent)
		return;
	buf_addf(b, "absent=%zu:", number);
	for (size_t i = 0, n = 0; i < c->n_items; i++)
		if (absent >> i & 1)
			buf_addf(b, "%s%s", n++ ? "," : "", c->item[i].name);
	buf_add_char(b, '\n');
}

void vms_put_customer(struct buf *b, const struct vms_node *n)
{
	field_put(b, VMS_CUSTOMER, 1);
	buf_addf(b, MAGIC "index=%u\nhost=%s\nutc_offset=%d\npagesize=%u\ncpus=%u\n", n->index,
		 n->host, n->utc_offset, n->page_bytes, n->all_cpus);
	if (n->missed)
		buf_addf(b, "missed=%u\n", n->missed);
	for (size_t i = 0; i < VMS_CLASSES; i++)
		customer_put_absent(b, &vms_classes[i], i, n->absent[i]);
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (n->left_out[i])
			buf_addf(b, "left_out=%zu:%u\n", i, n->left_out[i]);
}

static uint32_t customer_take_number(struct str value)
{
	uint64_t v;
	return str_take_u64(&value, &v) && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static int32_t customer_take_signed(struct str value)
{
	bool minus = str_take_prefix(&value, STR("-"));
	uint32_t v = customer_take_number(value);
	if (v > 86400)
		return 0;
	return minus ? -(int32_t)v : (int32_t)v;
}

/*
 * Take the class number and ":" off a value. Returns the number, or VMS_CLASSES if the value does
 * not begin with a valid one.
 */
static size_t customer_take_class(struct str *value)
{
	uint64_t number;
	return str_take_u64(value, &number) && number < VMS_CLASSES &&
	       str_take_prefix(value, STR(":")) ? number : VMS_CLASSES;
}

static void customer_take_absent(struct vms_node *n, struct str value)
{
	size_t number = customer_take_class(&value);
	struct str name;
	if (number == VMS_CLASSES)
		return;
	const struct vms_class *c = &vms_classes[number];
	while (str_take_item(&value, &name)) {
		size_t item = vms_item_find(c, name);
		if (item < c->n_items)
			n->absent[number] |= (uint16_t)(1 << item);
	}
}

static void customer_take_line(struct vms_node *n, struct str line)
{
	if (str_take_prefix(&line, STR("host=")))
		str_copy(n->host, sizeof(n->host), line);
	else if (str_take_prefix(&line, STR("utc_offset=")))
		n->utc_offset = customer_take_signed(line);
	else if (str_take_prefix(&line, STR("pagesize=")))
		n->page_bytes = customer_take_number(line);
	else if (str_take_prefix(&line, STR("cpus=")))
		n->all_cpus = customer_take_number(line);
	else if (str_take_prefix(&line, STR("missed=")))
		n->missed = customer_take_number(line);
	else if (str_take_prefix(&line, STR("absent=")))
		customer_take_absent(n, line);
	else if (str_take_prefix(&line, STR("left_out="))) {
		size_t number = customer_take_class(&line);
		if (number < VMS_CLASSES)
			n->left_out[number] = customer_take_number(line);
	}
}

bool vms_take_customer(struct str record, struct vms_node *n)
{
	struct str text = str_skip(record, 1), line;
	uint64_t index;
	if (!str_take_prefix(&text, STR(MAGIC)) || !str_take_prefix(&text, STR("index=")) ||
	    !str_take_u64(&text, &index) || index != n->index)
		return false;
	n->noted = true;
	memset(n->absent, 0, sizeof(n->absent));
	memset(n->left_out, 0, sizeof(n->left_out));
	while (str_take_line(&text, &line))
		customer_take_line(n, line);
	return true;
}
