/* SPDX-License-Identifier: BSD-3-Clause */
/* pm_write.c - write the header of a .pm file */
#include "base/wire.h"
#include "formats/pm/pm.h"

static void pm_put_record_start(struct buf *b, enum pm_kind kind, size_t data)
{
	wire_put(b, kind, 2);
	wire_put(b, data + 4, 2);
}

/* Append a header record with a u16 and padding. */
static void pm_put_padded(struct buf *b, enum pm_kind kind, uint16_t v)
{
	pm_put_record_start(b, kind, 4);
	wire_put(b, v, 2);
	wire_put(b, 0, 2);
}

/*
 * Append a header record with a u32. The report defines no structure for records of this kind; a
 * u32 can also hold the cluster size 65536.
 */
static void pm_put_u32(struct buf *b, enum pm_kind kind, uint32_t v)
{
	pm_put_record_start(b, kind, 4);
	wire_put(b, v, 4);
}

static void pm_put_text(struct buf *b, const char *text, size_t size)
{
	size_t n = strnlen(text, size);
	buf_add(b, (struct str){ text, n });
	for (; n < size; n++)
		buf_add_char(b, '\0');
}

static void pm_put_column(struct buf *b, const struct pm_column *c)
{
	pm_put_record_start(b, PM_KIND_DATA_DEFINITION, 32);
	pm_put_text(b, c->name, PM_NAME);
	wire_put(b, c->offset, 2);
	wire_put(b, c->length, 1);
	wire_put(b, c->scope, 1);
	wire_put(b, c->mask, 2);
	wire_put(b, c->flags, 2);
}

void pm_put_header(struct buf *b, const struct pm_header *h)
{
	if (h->version[0]) {
		pm_put_record_start(b, PM_KIND_VERSION, PM_VERSION);
		pm_put_text(b, h->version, PM_VERSION);
	}
	pm_put_padded(b, PM_KIND_MODS, h->mods);
	pm_put_u32(b, PM_KIND_ENDIAN, h->endian);
	if (h->cluster)
		pm_put_u32(b, PM_KIND_MCLSIZE, h->cluster);
	if (h->states_losses) {
		pm_put_record_start(b, PM_KIND_LOSSES, 16);
		wire_put(b, h->missed_moments, 8);
		wire_put(b, h->lost_snapshots, 8);
	}
	if (h->states_start) {
		pm_put_record_start(b, PM_KIND_START, 8);
		wire_put(b, (uint64_t)h->start, 8);
	}
	pm_put_padded(b, PM_KIND_TABLE_ENTRY_SIZE, h->entry_size);
	for (size_t i = 0; i < h->n_columns; i++)
		pm_put_column(b, &h->column[i]);
	pm_put_record_start(b, PM_KIND_END, 0);
}
