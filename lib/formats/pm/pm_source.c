/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pm_source.c - a .pm file as records: type pm, a device per connection, a key per column
 *
 * Snapshots of one time are one record. Columns that the file's kernel has not, or that are not of
 * this instant, are missing, not 0. Strings and the columns that say which connection it is are no
 * keys. A .pm file does not say whose it is.
 */
#include "formats/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pm/pm_columns.h"
#include "formats/window.h"

#define VALUES_MAX (1u << 22)	/* of one record; more of them are another one */

/* Columns that only grow. */
static const char *const counters[] = {
	"total_retrans", "bytes_acked", "bytes_received", "bytes_retrans", "data_segs_out",
	"busy_time", "rwnd_limited", "sndbuf_limited",
};

struct reading {
	struct window window;
	struct record_listener listener;
	uint64_t entries;	/* read so far */
	bool opened, given;

	struct pm_header h;
	const struct pm_column *time, *lport, *rport, *laddr, *raddr, *family, *valid;
	const struct pm_column **column;	/* of each key */
	struct record_key *key;
	struct record_type type;

	struct record record;
	struct below below;	/* nothing stands on anything */
	struct record_rows rows;
	struct record_row *row;
	uint64_t *value, *present;
	size_t cap_rows, cap_values, cap_present;
	struct buf devices;	/* of each row, with its NUL */
};

static void defect(struct reading *r, enum record_defect kind, const char *what)
{
	if (r->listener.defect)
		r->listener.defect(r->listener.arg, kind, r->entries + 1, what);
}

/* The length that each kind of the report has; 0: another kind. */
static size_t usual_length(unsigned kind)
{
	static const uint8_t lengths[] = {
		[PM_KIND_END] = 4, [PM_KIND_MODS] = 8, [PM_KIND_VERSION] = 12,
		[PM_KIND_TABLE_ENTRY_SIZE] = 8, [PM_KIND_DATA_DEFINITION] = 36,
		[PM_KIND_ENDIAN] = 8, [PM_KIND_MCLSIZE] = 8,
	};
	return kind < ARRAY_SIZE(lengths) ? lengths[kind] : 0;
}

/* Two records of the header at least, and each of a known kind has its length. */
static bool knows(struct str first)
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

static int read_header(struct reading *r)
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
		defect(r, RECORD_UNREADABLE, r->window.error ? strerror(-r->window.error) : text);
		return r->window.error ? r->window.error : -EBADMSG;
	}
	r->window.at += r->h.bytes;
	return 0;
}

static bool says_which(const struct reading *r, const struct pm_column *c)
{
	return c == r->time || c == r->lport || c == r->rport || c == r->family || c == r->valid;
}

static struct record_key key_of(const struct pm_column *c)
{
	const struct pm_known *known = pm_known_column(c->name);
	const char *unit = "";
	struct record_key key = { .name = c->name, .kind = GAUGE, .bits = 64, .scale = 1 };
	if (known && (known->unit == PM_UNIT_BYTES || known->unit == PM_UNIT_STREAM))
		unit = "B";
	else if (known && known->unit == PM_UNIT_USEC)
		unit = "us";
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (strcmp(counters[i], c->name) == 0) {
			key.kind = COUNTER;
			key.bits = c->length * 8u;
		}
	key.unit = key.unit_name = unit;
	return key;
}

/* The keys: columns that hold a number here. False: no column is the time. */
static bool choose_columns(struct reading *r)
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
		if (c->length == 0 || says_which(r, c) || !pm_is_relevant(&r->h, c) ||
		    !pm_take(&r->h, c, zeros, &value))
			continue;
		r->column[n] = c;
		r->key[n++] = key_of(c);
	}
	timed = r->time && pm_take_time(&r->h, r->time, zeros, &value, &value);
	free(zeros);
	r->type = (struct record_type){ "pm", r->key, n };
	return timed;
}

static int open_file(struct reading *r)
{
	int e = read_header(r);
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
	r->opened = choose_columns(r);
	if (!r->opened) {
		defect(r, RECORD_UNREADABLE, "no column says the time of a snapshot");
		return -EBADMSG;
	}
	return 0;
}

static uint64_t number(const struct reading *r, const struct pm_column *c,
		       const unsigned char *entry)
{
	uint64_t v = 0;
	return c && pm_take(&r->h, c, entry, &v) ? v : 0;
}

static void put_end(struct reading *r, const struct pm_column *addr, const struct pm_column *port,
		    const unsigned char *entry)
{
	char text[PM_ADDRESS];
	if (addr && addr->length == 16 && addr->flags == PM_STRING)
		buf_addf(&r->devices, "%s:", pm_address(entry + addr->offset, text));
	buf_add_u64(&r->devices, number(r, port, entry));
}

/* "127.0.0.1:80-127.0.0.1:4711"; without addresses "80-4711". */
static void put_device(struct reading *r, const unsigned char *entry)
{
	put_end(r, r->laddr, r->lport, entry);
	buf_add_char(&r->devices, '-');
	put_end(r, r->raddr, r->rport, entry);
	buf_add_char(&r->devices, '\0');
}

static void put_row(struct reading *r, const unsigned char *entry)
{
	size_t keys = r->type.n_keys, words = (keys + 63) / 64, n = r->rows.n++;
	r->row = vec_reserve(r->row, &r->cap_rows, n + 1, sizeof(*r->row));
	r->value = vec_reserve(r->value, &r->cap_values, (n + 1) * keys + 1, sizeof(*r->value));
	r->present = vec_reserve(r->present, &r->cap_present, (n + 1) * words + 1,
				 sizeof(*r->present));	/* of no keys there is one, too */
	uint64_t *value = r->value + n * keys, *present = r->present + n * words;
	for (size_t i = 0; i < words; i++)
		present[i] = 0;
	for (size_t i = 0; i < keys; i++) {
		value[i] = number(r, r->column[i], entry);
		bool known = pm_is_valid(&r->h, r->valid, r->column[i], entry) &&
			     pm_is_known(r->column[i], value[i]);
		present[i / 64] |= (uint64_t)known << i % 64;
	}
	put_device(r, entry);
}

/* The time of an entry in microseconds; what is no time is 0. */
static int64_t time_of(const struct reading *r, const unsigned char *entry)
{
	uint64_t sec = 0, usec = 0;
	pm_take_time(&r->h, r->time, entry, &sec, &usec);
	return sec > RECORD_USEC_MAX / 2000000 || usec > RECORD_USEC_MAX / 2 ? 0 :
	       (int64_t)(sec * 1000000 + usec);
}

/* Arrays stay where they are now. */
static void finish(struct reading *r)
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

/* All entries of the time of the first one; false: there is none. */
static bool take_entries(struct reading *r)
{
	size_t size = r->h.entry_size, most = VALUES_MAX / (r->type.n_keys + 1);
	r->rows.n = r->devices.n = 0;
	for (; r->rows.n < most; r->window.at += size) {
		struct str s = window_ahead(&r->window, size);
		if (s.n < size)
			break;
		const unsigned char *entry = (const unsigned char *)s.p;
		int64_t usec = time_of(r, entry);
		if (r->rows.n && usec != r->record.usec)
			break;
		if (r->rows.n == 0)
			r->record.line = r->entries + 1;
		r->record.usec = usec;
		put_row(r, entry);
		r->entries++;
	}
	return r->rows.n;
}

static int next(void *arg, const struct record **ret)
{
	struct reading *r = arg;
	int e = r->opened ? 0 : open_file(r);
	if (e < 0)
		return e;
	if (r->given)
		r->record.restart = false;
	if (take_entries(r)) {
		finish(r);
		r->given = true;
		*ret = &r->record;
		return 1;
	}
	if (r->window.error)
		defect(r, RECORD_UNREADABLE, strerror(-r->window.error));
	else if (window_ahead(&r->window, 1).n)
		defect(r, RECORD_TORN, "the file ends in a snapshot, which is left out");
	return r->window.error;
}

static struct str property(const void *arg, const char *name)
{
	const struct reading *r = arg;
	return *name ? STR("") : str_of(r->h.version);
}

static const struct record_type *type(const void *arg, size_t i)
{
	const struct reading *r = arg;
	return i == 0 && r->opened ? &r->type : NULL;
}

static void end(void *arg)
{
	struct reading *r = arg;
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
	struct reading *r = xrealloc(NULL, sizeof(*r));
	memset(r, 0, sizeof(*r));
	r->window.from = *from;
	if (listener)
		r->listener = *listener;
	r->record.below = &r->below;
	r->record.rows = &r->rows;
	r->record.n_types = 1;
	return (struct record_source){ next, property, type, end, r };
}

const struct record_format pm_source_format = {
	.name  = "pm",
	.knows = knows,
	.open  = open_pm,
};
