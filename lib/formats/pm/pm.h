/* SPDX-License-Identifier: BSD-3-Clause */
/* pm.h - .pm files of the PSC TCP kernel monitor: a header, then entries of a fixed size */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * The format is described in CMU-PSC-TR-2000-0001 ("the report"). The header consists of records:
 * KIND u16, LENGTH u16 (bytes of the record, including KIND and LENGTH), data. All integers in the
 * header are in network byte order. Entries of a fixed size follow, sorted by seq_no.
 */
enum pm_kind {
	PM_KIND_END              = 0,
	PM_KIND_MODS             = 1,
	PM_KIND_VERSION          = 2,
	PM_KIND_TABLE_ENTRY_SIZE = 3,
	PM_KIND_DATA_DEFINITION  = 4,
	PM_KIND_ENDIAN           = 5,
	PM_KIND_MCLSIZE          = 6,
	/*
	 * nodometer's extension: number of intervals without a snapshot, number of lost snapshots;
	 * u64 each
	 */
	PM_KIND_LOSSES           = 0x4e4d,
	/* nodometer's extension: start time, microseconds since the epoch, u64 */
	PM_KIND_START            = 0x4e53,
};

enum pm_endian { PM_LITTLE_ENDIAN, PM_BIG_ENDIAN, PM_PDP_ENDIAN };
enum pm_scope { PM_SCOPE_PM, PM_SCOPE_SYS, PM_SCOPE_INDIV };
enum pm_flags { PM_INT_HOST, PM_INT_NET, PM_STRING };
enum pm_mods { PM_RENO = 1, PM_SACK = 2, PM_FACK = 4, PM_AUTO = 8 };

#define PM_NAME      24		/* bytes of a name, TPM_STRLEN in the report */
#define PM_VERSION    8
#define PM_HEADER_MAX (1u << 20)	/* largest header that is read, in bytes */
#define PM_COLUMNS_MAX 4096

/* A column of the entries, as the report's struct tpm_entry_description defines it. */
struct pm_column {
	/* name; blanks, and bytes that are not printable ASCII, are read as "_" */
	char name[PM_NAME + 1];
	uint16_t offset;
	uint8_t length;		/* bytes of a value; 0: the kernel has no such value */
	uint8_t scope;
	uint16_t mask;	/* kernels that have the column: bits of enum pm_mods; 0: all kernels */
	uint16_t flags;
	/*
	 * values from this number on mean "unknown"; set from the column's name; 0: all values are
	 * valid
	 */
	uint32_t unknown;
};

struct pm_header {
	uint16_t mods;
	char version[PM_VERSION + 1];	/* kernel version; "" if not given */
	uint16_t entry_size;
	enum pm_endian endian;
	uint32_t cluster;	/* bytes of an mbuf cluster; 0: unknown */
	bool states_losses;
	uint64_t missed_moments;	/* intervals without a snapshot */
	/* lower limit of the number of lost snapshots; each is a gap in seq_no */
	uint64_t lost_snapshots;
	bool states_start;
	/* time of the first reading of all connections, microseconds since the epoch; 0: unknown */
	int64_t start;
	struct pm_column *column;
	size_t n_columns, cap;
	size_t bytes;		/* size of the header in the file, in bytes */
	size_t n_twice;	/* number of repeated column names; the first definition counts */
	char twice[PM_NAME + 1];	/* first repeated name */
};

#define PM_WHY_MAX 96
struct pm_fault {
	size_t at;		/* offset of the error in the file */
	char why[PM_WHY_MAX];
};

void pm_header_free(struct pm_header *h);

/*
 * Read the header at the start of a file. Missing fields get the report's defaults: RENO,
 * little-endian. Returns 0; -EAGAIN if the header is incomplete and more bytes are needed; or
 * -EBADMSG. Both errors fill *fault.
 */
int pm_read_header(struct str file, struct pm_header *ret, struct pm_fault *fault) MUST_CHECK;

/*
 * Append the header. Its records have the kinds 2, 1, 5, 6, PM_KIND_LOSSES, PM_KIND_START, 3, 4...,
 * 0, in this order; records without a value are left out.
 */
void pm_put_header(struct buf *b, const struct pm_header *h);

/*
 * Return the column of this name, or NULL if the file lacks the column or its length is 0. The
 * column's mask is not checked: see pm_is_relevant(). A column m_closed is found as m_clused.
 */
const struct pm_column *pm_column(const struct pm_header *h, const char *name);
/* Return true if the kernel that wrote the file has the column. */
bool pm_is_relevant(const struct pm_header *h, const struct pm_column *c);

/*
 * Read the unsigned integer in column c of an entry. Returns false if the column has no integers of
 * 1, 2, 4 or 8 bytes.
 */
bool pm_take(const struct pm_header *h, const struct pm_column *c, const unsigned char *entry,
	     uint64_t *ret);
static inline bool pm_is_known(const struct pm_column *c, uint64_t value)
{
	return c->unknown == 0 || value < c->unknown;
}
/*
 * Return true if the agent read column c, an element of h->column, for this entry. valid: the
 * column "valid", which has a bit for each of up to 64 columns, or NULL. A column without a bit
 * counts as read.
 */
bool pm_is_valid(const struct pm_header *h, const struct pm_column *valid,
		 const struct pm_column *c, const unsigned char *entry);
void pm_set(const struct pm_header *h, const struct pm_column *c, unsigned char *entry,
	    uint64_t value);

/*
 * Read the time in column c: seconds and microseconds of 4+4, 8+4 or 8+8 bytes. Returns false if
 * the column has another size.
 */
bool pm_take_time(const struct pm_header *h, const struct pm_column *c, const unsigned char *entry,
		  uint64_t *sec, uint64_t *usec);
/* Format an IPv6 or IPv4-mapped address as "[2001:db8::1]" or "192.0.2.1". */
#define PM_ADDRESS 48
const char *pm_address(const unsigned char raw[16], char text[PM_ADDRESS]);
void pm_set_time(const struct pm_header *h, const struct pm_column *c, unsigned char *entry,
		 uint64_t sec, uint64_t usec);
