/* SPDX-License-Identifier: BSD-3-Clause */
/* dump.c - print a record of a MONITOR recording, field by field */
#include "formats/vms/dump.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include "formats/vms/fields.h"
#include "formats/vms/vms_time.h"

/*
 * A field of a record (H.3 and H.4.1 of the OpenVMS System Management Utilities Reference Manual).
 */
struct dump_field {
	const char *name;
	unsigned bytes;
	/*
	 * how to print the field: u number, t time, s text, c text with length byte, x hexadecimal
	 */
	char is;
};

static const struct dump_field dump_header_fields[] = {
	{ "HDR$B_TYPE", 1, 'u' }, { "HDR$L_FLAGS", 4, 'x' }, { "HDR$Q_BEGINNING", 8, 't' },
	{ "HDR$Q_ENDING", 8, 't' }, { "HDR$L_INTERVAL", 4, 'u' }, { "HDR$O_REV0CLSBITS", 16, 'x' },
	{ "HDR$L_RECCT", 4, 'u' }, { "HDR$T_IDENT", 8, 's' }, { "HDR$T_COMMENT", 60, 's' },
	{ "HDR$W_COMLEN", 2, 'u' }, { "HDR$O_CLASSBITS", 16, 'x' }, { "HDR$T_REVLEVELS", 128, 'x' },
	{ 0 },
};
static const struct dump_field dump_node_fields[] = {
	{ "SYI$B_TYPE", 1, 'u' }, { "SYI$W_FLAGS", 2, 'x' }, { "SYI$Q_BOOTTIME", 8, 't' },
	{ "SYI$W_MAXPRCCNT", 2, 'u' }, { "SYI$B_MPCPUS", 1, 'u' }, { "SYI$T_NODENAME", 16, 'c' },
	{ "SYI$L_BALSETMEM", 4, 'u' }, { "SYI$L_MPWHILIM", 4, 'u' }, { "SYI$L_CPUTYPE", 4, 'u' },
	{ "SYI$B_INDEX", 1, 'u' }, { "SYI$L_CPUCONF", 4, 'x' }, { "SYI$B_VPCPUS", 1, 'u' },
	{ "SYI$L_VPCONF", 4, 'x' }, { 0 },
};
static const struct dump_field dump_gone_fields[] = {
	{ "NTR$B_TYPE", 1, 'u' }, { "NTR$B_INDEX", 1, 'u' }, { 0 },
};
static const struct dump_field dump_file_fields[] = {
	{ "FIL$B_TYPE", 1, 'u' }, { 0 },
};
static const struct dump_field dump_class_header_fields[] = {
	{ "CLS$B_TYPE", 1, 'u' }, { "CLS$B_FLAGS", 1, 'x' }, { "CLS$B_INDEX", 1, 'u' },
	{ "CLS$Q_STAMP", 8, 't' }, { "CLS$W_RESERVED", 2, 'x' }, { 0 },
};
static const struct dump_field dump_prefix_fields[] = {
	{ "CMP$L_ELTCT", 4, 'u' }, { "CMP$L_PCTINT", 4, 'u' }, { 0 },
};
static const struct dump_field dump_customer_fields[] = { { "CUS$B_TYPE", 1, 'u' }, { 0 } };

static void dump_put_text(struct buf *b, struct str s)
{
	buf_add_char(b, '"');
	for (size_t i = 0; i < s.n; i++)
		buf_add_char(b, isprint((unsigned char)s.p[i]) ? s.p[i] : '.');
	buf_add_char(b, '"');
}

static void dump_put_hex(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_addf(b, "%02x", (unsigned char)s.p[i]);
}

static void dump_put_time(struct buf *b, uint64_t vms)
{
	int64_t usec = vms_time_usec((int64_t)vms);
	time_t sec = (time_t)(usec / 1000000);
	struct tm t;
	char text[32];
	buf_addf(b, "%" PRId64, (int64_t)vms);
	if (vms && usec >= 0 && gmtime_r(&sec, &t) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &t))
		buf_addf(b, " %s.%02d", text, (int)(usec % 1000000 / 10000));
}

static void dump_put_value(struct buf *b, const struct dump_field *f, struct wire *w, size_t bytes)
{
	if (f->is == 'c')
		dump_put_text(b, field_take_counted(w, bytes));
	else if (f->is == 's')
		dump_put_text(b, wire_bytes(w, bytes));
	else if (f->is == 'x')
		dump_put_hex(b, wire_bytes(w, bytes));
	else if (f->is == 't')
		dump_put_time(b, field_take(w, bytes));
	else
		buf_addf(b, "%" PRIu64, field_take(w, bytes));
}

/*
 * Print the fields of a record up to the record's end, because system information may have only 47
 * bytes.
 */
static void dump_put_fields(struct buf *b, const struct dump_field *f, struct str record,
			    struct wire *w)
{
	for (; f->name && w->n; f++) {
		size_t bytes = f->bytes < w->n ? f->bytes : w->n;
		buf_addf(b, "  MNR_%-18s %5zu  ", f->name, record.n - w->n);
		dump_put_value(b, f, w, bytes);
		buf_add_char(b, '\n');
	}
}

static void dump_put_block(struct buf *b, const struct vms_class_record *c, struct str record,
			   struct wire *w)
{
	for (size_t i = 0; i < c->class->n_items && w->n; i++) {
		const struct vms_item *item = &c->class->item[i];
		if (c->size > vms_block_bytes(c->class))
			wire_bytes(w, vms_item_padding(item, c->size - w->n));
		char name[32];
		snprintf(name, sizeof(name), "%s$%c_%s", c->class->mnemonic,
			 vms_item_letter(item), item->name);
		struct dump_field f = { name, item->bytes, item->kind == VMS_TEXT ? 'c' :
					item->kind == VMS_BLANKS ? 's' : 'u' };
		struct dump_field one[] = { f, { 0 } };
		dump_put_fields(b, one, record, w);
	}
}

static void dump_put_class(struct buf *b, struct str record, const unsigned char revision[128])
{
	struct wire w = wire_of(record);
	struct vms_class_record c;
	if (vms_take_class(record, revision, &c) < 0)
		return;
	dump_put_fields(b, dump_class_header_fields, record, &w);
	wire_bytes(&w, c.header - VMS_CLASS_HEADER);
	if (c.class && c.class->component)
		dump_put_fields(b, dump_prefix_fields, record, &w);
	for (size_t i = 0; c.known && i < c.n; i++) {
		struct wire block = { w.p, c.size, false };
		size_t at = record.n - w.n;
		buf_addf(b, "  block %zu\n", i + 1);
		dump_put_block(b, &c, (struct str){ record.p, at + c.size }, &block);
		wire_bytes(&w, c.size);
	}
	if (w.n) {
		buf_addf(b, "  layout not known      %5zu  ", record.n - w.n);
		dump_put_hex(b, wire_bytes(&w, w.n));
		buf_add_char(b, '\n');
	}
}

/* Print the file names of an RMS file record. */
static void dump_put_file_names(struct buf *b, struct str record, struct wire *w)
{
	while (w->n && *w->p) {
		struct dump_field one[] = { { "FIL$T_FILENAME", *w->p + 1u, 'c' }, { 0 } };
		dump_put_fields(b, one, record, w);
	}
}

static const char *dump_type_name(unsigned type)
{
	static const char *const control[] = {
		"file header", "system information", "node transition", "RMS file",
	};
	if (type < VMS_CLASSES)
		return vms_classes[type].name;
	if (type >= VMS_HEADER && type <= VMS_FILE_NAME)
		return control[type - VMS_HEADER];
	return type >= VMS_CUSTOMER ? "customer" : "not known";
}

void vms_dump(struct buf *b, uint64_t number, uint64_t offset, struct str record,
	      const unsigned char revision[128])
{
	static const struct dump_field *const control[] = { dump_header_fields, dump_node_fields,
						      dump_gone_fields, dump_file_fields };
	struct wire w = wire_of(record);
	unsigned type = (unsigned char)*record.p;
	buf_addf(b, "record %" PRIu64 " at %" PRIu64 ": type %u, %s, %zu bytes\n", number, offset,
		 type, dump_type_name(type), record.n);
	if (type < VMS_HEADER) {
		dump_put_class(b, record, revision);
		return;
	}
	if (type <= VMS_FILE_NAME)
		dump_put_fields(b, control[type - VMS_HEADER], record, &w);
	else
		dump_put_fields(b, dump_customer_fields, record, &w);
	if (type == VMS_FILE_NAME)
		dump_put_file_names(b, record, &w);
	if (!w.n)
		return;
	buf_addf(b, "  rest                   %5zu  ", record.n - w.n);
	dump_put_text(b, wire_bytes(&w, w.n));
	buf_add_char(b, '\n');
}
