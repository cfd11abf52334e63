/* SPDX-License-Identifier: BSD-3-Clause */
/* pm.h - .pm files of the PSC TCP kernel monitor: a header that describes the entries after it */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * CMU-PSC-TR-2000-0001. The header is a row of records, KIND u16, LENGTH u16 of the whole record,
 * data; all its integers are in network order. Entries of one size follow, sorted by seq_no.
 */
enum pm_kind {
	PM_KIND_END              = 0,
	PM_KIND_MODS             = 1,
	PM_KIND_VERSION          = 2,
	PM_KIND_TABLE_ENTRY_SIZE = 3,
	PM_KIND_DATA_DEFINITION  = 4,
	PM_KIND_ENDIAN           = 5,
	PM_KIND_MCLSIZE          = 6,
	PM_KIND_LOSSES           = 0x4e4d,	/* nodometer's: moments, snapshots; u64 each */
};

enum pm_endian { PM_LITTLE_ENDIAN, PM_BIG_ENDIAN, PM_PDP_ENDIAN };
enum pm_scope { PM_SCOPE_PM, PM_SCOPE_SYS, PM_SCOPE_INDIV };
enum pm_flags { PM_INT_HOST, PM_INT_NET, PM_STRING };
enum pm_mods { PM_RENO = 1, PM_SACK = 2, PM_FACK = 4, PM_AUTO = 8 };

#define PM_NAME      24		/* TPM_STRLEN */
#define PM_VERSION    8
#define PM_HEADER_MAX (1u << 20)	/* bytes of a header that is read */
#define PM_COLUMNS_MAX 4096

/* A column, as struct tpm_entry_description has it. */
struct pm_column {
	char name[PM_NAME + 1];	/* bytes that are no printable ASCII are read as '_' */
	uint16_t offset;
	uint8_t length;		/* 0: this kernel has no such value */
	uint8_t scope;
	uint16_t mask;		/* of pm_mods it is for; 0: all */
	uint16_t flags;
	uint32_t unknown;	/* by its name: from here on "not known"; 0: all values are known */
};

struct pm_header {
	uint16_t mods;
	char version[PM_VERSION + 1];	/* "": none */
	uint16_t entry_size;
	enum pm_endian endian;
	uint32_t cluster;	/* bytes of an mbuf cluster; 0: not said */
	bool states_losses;
	uint64_t missed_moments;	/* intervals at which nothing was read */
	uint64_t lost_snapshots;	/* at least so many; each is a gap in seq_no */
	struct pm_column *column;
	size_t n_columns, cap;
	size_t bytes;		/* of the header, where it was read */
	size_t n_twice;		/* definitions of a name that there is already: the first counts */
	char twice[PM_NAME + 1];	/* the first of them */
};

#define PM_WHY_MAX 96
struct pm_fault {
	size_t at;		/* where in the file */
	char why[PM_WHY_MAX];
};

void pm_header_free(struct pm_header *h);

/*
 * Reads a header from the start of a file. 0 and *ret; -EAGAIN: the header is not whole, more bytes
 * may complete it; -EBADMSG and *fault, which -EAGAIN fills, too. Fields that are missing have the
 * report's values: RENO, little-endian.
 */
int pm_read_header(struct str file, struct pm_header *ret, struct pm_fault *fault) MUST_CHECK;

/* Adds the records in the order 2, 1, 5, 6, losses, 3, 4..., 0, those that h has. */
void pm_put_header(struct buf *b, const struct pm_header *h);

/* The column of this name that the kernel has; or NULL. m_clused is also called m_closed. */
const struct pm_column *pm_column(const struct pm_header *h, const char *name);
/* Whether the column's mask allows it for the kind of kernel that wrote the file. */
bool pm_is_relevant(const struct pm_header *h, const struct pm_column *c);

/* An unsigned integer of 1, 2, 4 or 8 bytes; false: the column is none. */
bool pm_take(const struct pm_header *h, const struct pm_column *c, const unsigned char *entry,
	     uint64_t *ret);
static inline bool pm_is_known(const struct pm_column *c, uint64_t value)
{
	return c->unknown == 0 || value < c->unknown;
}
/* Whether column "valid", of up to 64 bits or NULL, says that c is of the entry's instant. */
bool pm_is_valid(const struct pm_header *h, const struct pm_column *valid,
		 const struct pm_column *c, const unsigned char *entry);
void pm_set(const struct pm_header *h, const struct pm_column *c, unsigned char *entry,
	    uint64_t value);

/* A struct timeval: integers of 4 and 4, 8 and 4, or 8 and 8 bytes; false: another size. */
bool pm_take_time(const struct pm_header *h, const struct pm_column *c, const unsigned char *entry,
		  uint64_t *sec, uint64_t *usec);
/* "192.0.2.1" or "[2001:db8::1]": IPv4 stands there as ::ffff:a.b.c.d. */
#define PM_ADDRESS 48
const char *pm_address(const unsigned char raw[16], char text[PM_ADDRESS]);
void pm_set_time(const struct pm_header *h, const struct pm_column *c, unsigned char *entry,
		 uint64_t sec, uint64_t usec);
