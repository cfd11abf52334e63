/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pm_source.c - read a .pm file as records: type pm, a device for each connection, a key for each
 * column
 *
 * Snapshots of the same time form one record. If the kernel that wrote the file lacks a column, or
 * the column was not read for an entry, its value is missing, not 0. Columns with strings, and
 * columns that identify the connection, do not become keys. A .pm file does not contain the name of
 * its host.
 */
#include "formats/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pm/pm_columns.h"
#include "formats/window.h"

/* largest number of values in a record; more snapshots of the same time go into the next record */
#define VALUES_MAX (1u << 22)

/* The columns that are counters. */
static const char *const pm_counters[] = {
	"total_retrans", "bytes_acked", "bytes_received", "bytes_retrans", "data_segs_out",
	"busy_time", "rwnd_limited", "sndbuf_limited",
};

struct pm_reading {
	struct window window;
	struct record_listener listener;
	uint64_t entries;	/* number of entries read */
	bool opened, given;

	struct pm_header h;
	const struct pm_column *time, *lport, *rport, *laddr, *raddr, *family, *valid;
	const struct pm_column **column;	/* column of each key */
	struct record_key *key;
	struct record_type type;

	struct record record;
	struct below below;	/* always empty */
	struct record_rows rows;
	struct record_row *row;
	uint64_t *value, *present;
	size_t cap_rows, cap_values, cap_present;
	struct buf devices;	/* devices of the rows, each ends in NUL */
};

static void pm_report_defect(struct pm_reading *r, enum record_defect kind, const char *what)
{
	if (r->listener.defect)
		r->listener.defect(r->listener.arg, kind, r->entries + 1, what);
}

/* Return the length that the report gives for a kind of header record; 0 for unknown kinds. */
static size_t usual_length(unsigned kind)
{
	static const uint8_t lengths[] = {
		[PM_KIND_END] = 4, [PM_KIND_MODS] = 8, [PM_KIND_VERSION] = 12,
		[PM_KIND_TABLE_ENTRY_SIZE] = 8, [PM_KIND_DATA_DEFINITION] = 36,
		[PM_KIND_ENDIAN] = 8, [PM_KIND_MCLSIZE] = 8,
	};
	return kind < ARRAY_SIZE(lengths) ? lengths[kind] : 0;
}

/* Return true if the file begins with at least two header records that have their usual lengths. */
static bool pm_detect(struct str first)
{
	size_t known = 0;
	while (first.n >= 4) {
		const unsigned char *p = (const unsigned char *)first.p;
		unsigned kind = (unsigned)p[0] << 8 | p[1];
		size_t n = (size_t)p[2] << 8 | p[3];
		size_t usual = usual_length(kind);
		if (n < 4 || (usual && n != usual) || (!known && !usual))
			return false;
		known += usual != 0;
		if (kind == PM_KIND_END || n > first.n)
			break;
		first = str_skip(first, n);
	}
	return known >= 2;
}

static int pm_source_read_header(struct pm_reading *r)
{
	struct pm_fault fault;
	struct str s;
	int e;
	size_t want = 1;
	do {
		s = window_ahead(&r->window, want);
		e = pm_read_header(s, &r->h, &fault);
		want = s.n + 1;
	} while (e == -EAGAIN && !r->window.ended);
	if (e < 0) {
		char text[PM_WHY_MAX + 40];
		snprintf(text, sizeof(text), "at byte %zu: %s", fault.at, fault.why);
		pm_report_defect(r, RECORD_UNREADABLE,
				 r->window.error ? strerror(-r->window.error) : text);
		return r->window.error ? r->window.error : -EBADMSG;
	}
	r->window.at += r->h.bytes;
	return 0;
}

static bool pm_identifies_row(const struct pm_reading *r, const struct pm_column *c)
{
	return c == r->time || c == r->lport || c == r->rport || c == r->family || c == r->valid;
}

static struct record_key pm_key_of(const struct pm_column *c)
{
	const struct pm_known *known = pm_known_column(c->name);
	const char *unit = "";
	struct record_key key = { .name = c->name, .kind = GAUGE, .bits = 64, .scale = 1 };
	if (known && (known->unit == PM_UNIT_BYTES || known->unit == PM_UNIT_STREAM))
		unit = "B";
	else if (known && known->unit == PM_UNIT_USEC)
		unit = "us";
	for (size_t i = 0; i < ARRAY_SIZE(pm_counters); i++)
		if (strcmp(pm_counters[i], c->name) == 0) {
			key.kind = COUNTER;
			key.bits = c->length * 8u;
		}
	key.unit = key.unit_name = unit;
	return key;
}

/*
 * Choose the columns that become keys: columns of numbers that the kernel has. Returns false if the
 * file has no column with the time.
 */
static bool pm_choose_columns(struct pm_reading *r)
{
	unsigned char *zeros = xrealloc(NULL, r->h.entry_size);
	uint64_t value;
	size_t n = 0;
	bool timed;
	memset(zeros, 0, r->h.entry_size);
	r->column = xrealloc(NULL, r->h.n_columns * sizeof(struct pm_column *));
	r->key = xrealloc(NULL, r->h.n_columns * sizeof(*r->key));
	for (size_t i = 0; i < r->h.n_columns; i++) {
		const struct pm_column *c = &r->h.column[i];
		if (c->length == 0 || pm_identifies_row(r, c) || !pm_is_relevant(&r->h, c) ||
		    !pm_take(&r->h, c, zeros, &value))
			continue;
		r->column[n] = c;
		r->key[n++] = pm_key_of(c);
	}
	timed = r->time && pm_take_time(&r->h, r->time, zeros, &value, &value);
	free(zeros);
	r->type = (struct record_type){ "pm", r->key, n };
	return timed;
}

static int pm_open_file(struct pm_reading *r)
{
	int e = pm_source_read_header(r);
	if (e < 0)
		return e;
	r->record.restart = true;
	r->time = pm_column(&r->h, "time");
	r->lport = pm_column(&r->h, "lport");
	r->rport = pm_column(&r->h, "rport");
	r->laddr = pm_column(&r->h, "laddr");
	r->raddr = pm_column(&r->h, "raddr");
	r->family = pm_column(&r->h, "family");
	r->valid = pm_column(&r->h, "valid");
	r->opened = pm_choose_columns(r);
	if (!r->opened) {
		pm_report_defect(r, RECORD_UNREADABLE, "no column has the time of a snapshot");
		return -EBADMSG;
	}
	return 0;
}

static uint64_t pm_number(const struct pm_reading *r, const struct pm_column *c,
			  const unsigned char *entry)
{
	uint64_t v = 0;
	return c && pm_take(&r->h, c, entry, &v) ? v : 0;
}

static void pm_put_endpoint(struct pm_reading *r, const struct pm_column *addr,
			    const struct pm_column *port,
			    const unsigned char *entry)
{
	char text[PM_ADDRESS];
	if (addr && addr->length == 16 && addr->flags == PM_STRING)
		buf_addf(&r->devices, "%s:", pm_address(entry + addr->offset, text));
	buf_add_u64(&r->devices, pm_number(r, port, entry));
}

/* Append the device: "127.0.0.1:80-127.0.0.1:4711", or "80-4711" if there are no addresses. */
static void pm_put_device(struct pm_reading *r, const unsigned char *entry)
{
	pm_put_endpoint(r, r->laddr, r->lport, entry);
	buf_add_char(&r->devices, '-');
	pm_put_endpoint(r, r->raddr, r->rport, entry);
	buf_add_char(&r->devices, '\0');
}

static void pm_put_row(struct pm_reading *r, const unsigned char *entry)
{
	size_t keys = r->type.n_keys, words = (keys + 63) / 64, n = r->rows.n++;
	r->row = vec_reserve(r->row, &r->cap_rows, n + 1, sizeof(*r->row));
	r->value = vec_reserve(r->value, &r->cap_values, (n + 1) * keys + 1, sizeof(*r->value));
	r->present = vec_reserve(r->present, &r->cap_present, (n + 1) * words + 1,
				 /* + 1: never allocate 0 elements */
				 sizeof(*r->present));
	uint64_t *value = r->value + n * keys, *present = r->present + n * words;
	for (size_t i = 0; i < words; i++)
		present[i] = 0;
	for (size_t i = 0; i < keys; i++) {
		value[i] = pm_number(r, r->column[i], entry);
		bool known = pm_is_valid(&r->h, r->valid, r->column[i], entry) &&
			     pm_is_known(r->column[i], value[i]);
		present[i / 64] |= (uint64_t)known << i % 64;
	}
	pm_put_device(r, entry);
}

/* Return the time of an entry in microseconds since the epoch, or 0 if it is out of range. */
static int64_t pm_time_of(const struct pm_reading *r, const unsigned char *entry)
{
	uint64_t sec = 0, usec = 0;
	pm_take_time(&r->h, r->time, entry, &sec, &usec);
	return sec > RECORD_USEC_MAX / 2000000 || usec > RECORD_USEC_MAX / 2 ? 0 :
	       (int64_t)(sec * 1000000 + usec);
}

/* Set the pointers of the rows, after the arrays have reached their final size. */
static void pm_finish_rows(struct pm_reading *r)
{
	size_t keys = r->type.n_keys, words = (keys + 63) / 64;
	const char *name = r->devices.p;
	for (size_t i = 0; i < r->rows.n; i++) {
		r->row[i] = (struct record_row){
			.device = str_of(name), .value = r->value + i * keys,
			.present = r->present + i * words,
		};
		name += r->row[i].device.n + 1;
	}
	r->rows.row = r->row;
	r->rows.type = &r->type;
	r->record.n_rows = r->rows.n;
}

/* Read the next entries that have the same time. Returns false if no entry is left. */
static bool pm_take_entries(struct pm_reading *r)
{
	size_t size = r->h.entry_size, most = VALUES_MAX / (r->type.n_keys + 1);
	r->rows.n = r->devices.n = 0;
	for (; r->rows.n < most; r->window.at += size) {
		struct str s = window_ahead(&r->window, size);
		if (s.n < size)
			break;
		const unsigned char *entry = (const unsigned char *)s.p;
		int64_t usec = pm_time_of(r, entry);
		if (r->rows.n && usec != r->record.usec)
			break;
		if (r->rows.n == 0)
			r->record.line = r->entries + 1;
		r->record.usec = usec;
		pm_put_row(r, entry);
		r->entries++;
	}
	return r->rows.n;
}

static int pm_next_record(void *arg, const struct record **ret)
{
	struct pm_reading *r = arg;
	int e = r->opened ? 0 : pm_open_file(r);
	if (e < 0)
		return e;
	if (r->given)
		r->record.restart = false;
	if (pm_take_entries(r)) {
		pm_finish_rows(r);
		r->given = true;
		*ret = &r->record;
		return 1;
	}
	if (r->window.error)
		pm_report_defect(r, RECORD_UNREADABLE, strerror(-r->window.error));
	else if (window_ahead(&r->window, 1).n)
		pm_report_defect(r, RECORD_TORN, "the file ends in a snapshot, which is left out");
	return r->window.error;
}

static struct str pm_property(const void *arg, const char *name)
{
	const struct pm_reading *r = arg;
	return *name ? STR("") : str_of(r->h.version);
}

static const struct record_type *pm_type_at(const void *arg, size_t i)
{
	const struct pm_reading *r = arg;
	return i == 0 && r->opened ? &r->type : NULL;
}

static void pm_source_end(void *arg)
{
	struct pm_reading *r = arg;
	pm_header_free(&r->h);
	buf_free(&r->window.bytes);
	buf_free(&r->devices);
	free(r->column);
	free(r->key);
	free(r->row);
	free(r->value);
	free(r->present);
	free(r);
}

static struct record_source open_pm(const struct byte_source *from,
				    const struct record_listener *listener)
{
	struct pm_reading *r = xrealloc(NULL, sizeof(*r));
	memset(r, 0, sizeof(*r));
	r->window.from = *from;
	if (listener)
		r->listener = *listener;
	r->record.below = &r->below;
	r->record.rows = &r->rows;
	r->record.n_types = 1;
	return (struct record_source){ pm_next_record, pm_property, pm_type_at, pm_source_end, r };
}

const struct record_format pm_source_format = {
	.name  = "pm",
	.knows = pm_detect,
	.open  = open_pm,
};
