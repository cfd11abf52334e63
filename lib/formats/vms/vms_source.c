/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * vms_source.c - read a MONITOR recording as records: a type for each class, a key for each item
 *
 * Class DISK becomes type vms_disk, and so on. An item that is not in the recording is a missing
 * value, not 0. A record consists of successive classes of one node whose numbers ascend (H.2 of
 * the manual).
 */
#include "formats/format.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/vms/recording.h"
#include "formats/vms/vms_time.h"

/*
 * bytes of the longest device name: that of a disk, with all characters escaped (see
 * vms_put_disk())
 */
#define DEVICE_MAX 128

/* Units of items. Items that are not listed are counts of events. */
static const struct {
	enum vms_class_number class;
	const char *item, *unit;	/* .item NULL: all counters of the class */
} vms_units[] = {
	{ VMS_PROCESSES, "CPUTIM", "cs" },
	{ VMS_MODES,     NULL,     "cs" },
	{ VMS_FCP,       "FCPCPU", "cs" },
	{ VMS_DISK,      "QCOUNT", "s"  },
	{ VMS_SCS,       "KBYTSENT", "KB" },
	{ VMS_SCS,       "KBYTREQD", "KB" },
	{ VMS_SCS,       "KBYTMAPD", "KB" },
	{ VMS_SYSTEM,    "BUSY",    "cs" },
	{ VMS_CLUSTER,   "CPU_BUSY", "cs" },
	{ VMS_RMS,       "READKB",  "KB" },
	{ VMS_RMS,       "WRITEKB", "KB" },
	{ VMS_VECTOR,    "TICKS",   "cs" },
	{ VMS_VBS,       "VBYTE_READ",  "B" },
	{ VMS_VBS,       "VBYTE_WRITE", "B" },
	{ VMS_VBS,       "VCPUTICKS",   "cs" },
};

struct class_type {
	struct record_type type;
	char name[32];
	struct record_key key[VMS_ITEMS_MAX];
	size_t item[VMS_ITEMS_MAX];	/* item of each key */
};

struct vms_reading {
	struct byte_source from;
	struct record_listener listener;
	struct vms_recording r;
	bool opened, given;	/* .given: a record was returned */
	bool waits;		/* .event was already read, but belongs to the next record */
	enum vms_event event;
	struct class_type class[VMS_CLASSES];

	uint32_t has;		/* bit n: .set[n] is in the record */
	size_t last;		/* number of the class that was added last */
	uint8_t index;		/* node index of the class that was added last */
	struct vms_set set[VMS_CLASSES];
	int64_t boot[VMS_NODES_MAX];
	char host[VMS_HOST_MAX];	/* hostname of the first node */
	struct buf files;		/* RMS file names, each ends in NUL */
	size_t *file, n_files, cap_files;	/* start of each name in .files */

	struct record record;
	char record_host[VMS_HOST_MAX];
	struct below below;	/* always empty */
	struct record_rows rows[VMS_CLASSES];
	struct record_row *row;
	uint64_t *value, present[VMS_CLASSES];
	size_t cap_rows, cap_values;
	struct buf devices;
};

static void vms_report_defect(struct vms_reading *r, enum record_defect kind, const char *what)
{
	if (r->listener.defect)
		r->listener.defect(r->listener.arg, kind, r->r.records, what);
}

static void vms_note_defect(void *arg, uint64_t offset, const char *what)
{
	char text[200];
	snprintf(text, sizeof(text), "at byte %" PRIu64 ": %s", offset, what);
	vms_report_defect(arg, RECORD_BAD_LINE, text);
}

/* Return true if the file begins with a file header. Customer records may precede it. */
static bool vms_detect(struct str first)
{
	if (vms_is_unframed(first))
		return true;
	while (first.n >= 3) {
		unsigned char type = (unsigned char)first.p[2];
		size_t n = (unsigned char)first.p[0] | (size_t)(unsigned char)first.p[1] << 8;
		if (n == VMS_HEADER_BYTES && type == VMS_HEADER)
			return true;
		size_t all = 2 + n + n % 2;
		if (type < VMS_CUSTOMER || n == 0 || all > first.n)
			return false;
		first = str_skip(first, all);
	}
	return false;
}

static const char *vms_unit_of(size_t class, const struct vms_item *item)
{
	for (size_t i = 0; i < ARRAY_SIZE(vms_units); i++)
		if (vms_units[i].class == class && item->kind == VMS_COUNT &&
		    (!vms_units[i].item || strcmp(vms_units[i].item, item->name) == 0))
			return vms_units[i].unit;
	return "";
}

static void vms_make_type(struct class_type *t, size_t class)
{
	const struct vms_class *c = &vms_classes[class];
	size_t n = 0;
	snprintf(t->name, sizeof(t->name), "vms_%s", c->name);
	for (char *p = t->name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	for (size_t i = 0; i < c->n_items; i++) {
		const struct vms_item *item = &c->item[i];
		bool counts = item->kind == VMS_COUNT;
		if (item->kind == VMS_TEXT || item->kind == VMS_BLANKS)
			continue;
		const char *unit = vms_unit_of(class, item);
		t->item[n] = i;
		t->key[n++] = (struct record_key){
			.name = item->name, .unit = unit, .unit_name = unit, .scale = 1,
			.kind = counts ? COUNTER : GAUGE, .bits = counts ? 32 : 64,
		};
	}
	t->type = (struct record_type){ t->name, t->key, n };
}

static void vms_add_file(struct vms_reading *r, struct str name)
{
	if (r->n_files == VMS_ELEMENTS_MAX)
		return;
	r->file = vec_reserve(r->file, &r->cap_files, r->n_files + 1, sizeof(*r->file));
	r->file[r->n_files++] = r->files.n;
	buf_add_word(&r->files, name, false);
	buf_add_char(&r->files, '\0');
}

static void vms_put_device(struct vms_reading *r, const struct vms_set *s, size_t block)
{
	struct buf *b = &r->devices, disk CLEANUP(buf_free) = { 0 };
	switch (s->number) {
	case VMS_PROCESSES:
		buf_addf(b, "%" PRIu32 "/", vms_number(s, block, 12));
		buf_add_word(b, vms_text(s, block, 4), false);
		return;
	case VMS_DISK:
		vms_put_disk(&disk, s, block);
		buf_add_word(b, buf_str(&disk), false);
		return;
	case VMS_SCS:
		buf_add_word(b, vms_text(s, block, 0), false);
		return;
	case VMS_MODES:
	case VMS_VECTOR:
		buf_addf(b, "%" PRIu32, vms_number(s, block, 0));
		return;
	}
	if (vms_classes[s->number].component)
		buf_addf(b, "%zu", block + 1);
	else
		buf_add_char(b, '-');
}

/*
 * Append the name of a device to the buffer of names, and return it. The buffer does not move,
 * because its space was reserved.
 */
static struct str vms_device(struct vms_reading *r, const struct vms_set *s, size_t block)
{
	size_t at = r->devices.n;
	if (s->number == VMS_RMS && block < r->n_files)
		return str_of(r->files.p + r->file[block]);
	vms_put_device(r, s, block);
	return (struct str){ r->devices.p + at, r->devices.n - at };
}

/* Fill the rows of a class, from index `row` on. */
static void vms_put_rows(struct vms_reading *r, const struct vms_set *s, size_t row,
			 uint64_t **value)
{
	const struct class_type *t = &r->class[s->number];
	uint64_t *present = &r->present[s->number];
	*present = 0;
	for (size_t k = 0; k < t->type.n_keys; k++)
		*present |= (uint64_t)!(s->absent >> t->item[k] & 1) << k;
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < t->type.n_keys; k++)
			(*value)[k] = vms_number(s, i, t->item[k]);
		r->row[row + i] = (struct record_row){
			.device = vms_device(r, s, i), .value = *value, .present = present,
		};
		*value += t->type.n_keys;
	}
	r->rows[r->record.n_types++] = (struct record_rows){ &t->type, &r->row[row], s->n };
}

static void vms_make_record(struct vms_reading *r)
{
	size_t n = 0, row = 0;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		n += r->has >> i & 1 ? r->set[i].n : 0;
	r->row = vec_reserve(r->row, &r->cap_rows, n, sizeof(*r->row));
	r->value = vec_reserve(r->value, &r->cap_values, n * VMS_ITEMS_MAX, sizeof(*r->value));
	r->devices.n = 0;
	buf_reserve(&r->devices, n * DEVICE_MAX);
	uint64_t *value = r->value;
	r->record.n_types = 0;
	r->record.n_rows = n;
	for (size_t i = 0; i < VMS_CLASSES; i++) {
		if (!(r->has >> i & 1) || r->set[i].n == 0)
			continue;
		vms_put_rows(r, &r->set[i], row, &value);
		row += r->set[i].n;
	}
	r->has = 0;
}

static struct str vms_host_of(const struct vms_node *n)
{
	return n ? str_of(n->host[0] ? n->host : n->name) : STR("");
}

/*
 * Move the class that was read into the record. The recording and the record swap buffers, so no
 * data is copied.
 */
static void vms_add_set(struct vms_reading *r)
{
	struct vms_set *s = &r->r.set, *to = &r->set[s->number];
	r->last = s->number;
	r->index = s->index;
	if (s->opaque)
		return;
	if (!r->has) {
		(void)str_copy(r->record_host, sizeof(r->record_host),
			       vms_host_of(r->r.node[s->index]));
		r->record.host = str_of(r->record_host);
		r->record.usec = vms_time_usec(s->stamp);
		r->record.line = r->r.records;
	}
	struct buf memory = to->blocks;
	*to = *s;
	s->blocks = memory;
	vms_set_clear(s, s->number);
	r->has |= 1u << to->number;
}

static void vms_take_node_event(struct vms_reading *r)
{
	const struct vms_node *n = r->r.node[r->r.index];
	if (!n)
		return;
	r->record.restart |= r->boot[n->index] != n->boot;
	r->boot[n->index] = n->boot;
	if (!r->host[0] || n->noted)
		(void)str_copy(r->host, sizeof(r->host), vms_host_of(n));
}

static int vms_report_end(struct vms_reading *r)
{
	static const enum record_defect kinds[] = {
		[VMS_END_TORN] = RECORD_TORN, [VMS_END_NOT_VMS] = RECORD_UNREADABLE,
		[VMS_END_CUSTOMER_FIRST] = RECORD_UNREADABLE,
		[VMS_END_UNKNOWN] = RECORD_UNREADABLE, [VMS_END_DAMAGED] = RECORD_UNREADABLE,
		[VMS_END_UNREADABLE] = RECORD_UNREADABLE,
	};
	enum vms_end why = r->r.end;
	int e = r->r.from.window.error;
	if (why == VMS_END_WHOLE)
		return 0;
	vms_report_defect(r, kinds[why], vms_end_text(why));
	if (why == VMS_END_TORN)
		return 0;
	return why == VMS_END_UNREADABLE && e ? e : -EBADMSG;
}

static bool vms_event_ends_record(const struct vms_reading *r)
{
	const struct vms_set *s = &r->r.set;
	return r->has && (r->event != VMS_CLASS_IS || s->number <= r->last ||
			  s->index != r->index);
}

static void vms_open_recording(struct vms_reading *r)
{
	const struct vms_listener listener = { vms_note_defect, r };
	r->opened = r->record.restart = true;
	if (vms_recording_open(&r->r, &r->from, &listener) < 0) {
		r->event = VMS_RECORDING_ENDS;
		r->waits = true;
	}
}

/*
 * Read events until one belongs to the next record. Returns true if there is a record, false at the
 * end of the file.
 */
static bool vms_read_record(struct vms_reading *r)
{
	for (;; r->waits = false) {
		if (!r->waits)
			r->event = vms_recording_next(&r->r);
		r->waits = vms_event_ends_record(r) || r->event == VMS_RECORDING_ENDS;
		if (r->waits)
			return r->has;
		if (r->event == VMS_CLASS_IS)
			vms_add_set(r);
		else if (r->event == VMS_FILE_IS)
			vms_add_file(r, r->r.file);
		else if (r->event == VMS_NODE_IS)
			vms_take_node_event(r);
	}
}

static int vms_next_record(void *arg, const struct record **ret)
{
	struct vms_reading *r = arg;
	if (!r->opened)
		vms_open_recording(r);
	if (r->given)
		r->record.restart = false;
	if (!vms_read_record(r))
		return vms_report_end(r);
	vms_make_record(r);
	r->given = true;
	*ret = &r->record;
	return 1;
}

static struct str vms_property(const void *arg, const char *name)
{
	const struct vms_reading *r = arg;
	if (!*name)
		return STR("MONITOR");
	return strcmp(name, "hostname") == 0 ? str_of(r->host) : STR("");
}

/* Return the i-th type. Each class in the file header has a type if its layout is known. */
static const struct record_type *vms_type_at(const void *arg, size_t i)
{
	const struct vms_reading *r = arg;
	for (size_t n = 0; n < VMS_CLASSES; n++)
		if (vms_has_class(r->r.header.classes, n) && vms_classes[n].item && i-- == 0)
			return &r->class[n].type;
	return NULL;
}

static void vms_source_end(void *arg)
{
	struct vms_reading *r = arg;
	if (r->opened)
		vms_recording_close(&r->r);
	for (size_t i = 0; i < VMS_CLASSES; i++)
		vms_set_free(&r->set[i]);
	buf_free(&r->files);
	buf_free(&r->devices);
	free(r->file);
	free(r->row);
	free(r->value);
	free(r);
}

static struct record_source open_vms(const struct byte_source *from,
				     const struct record_listener *listener)
{
	struct vms_reading *r = xrealloc(NULL, sizeof(*r));
	memset(r, 0, sizeof(*r));
	r->from = *from;
	if (listener)
		r->listener = *listener;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		vms_make_type(&r->class[i], i);
	r->record.below = &r->below;
	r->record.rows = r->rows;
	return (struct record_source){ vms_next_record, vms_property, vms_type_at, vms_source_end,
				      r };
}

const struct record_format vms_source_format = {
	.name  = "vms",
	.knows = vms_detect,
	.open  = open_vms,
};
