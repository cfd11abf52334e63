/* SPDX-License-Identifier: BSD-3-Clause */
/* pm.h - .pm files of the PSC TCP kernel monitor: a header describes the entries that follow */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * The format is described in CMU-PSC-TR-2000-0001, called the report here. The header is a sequence
 * of records: KIND u16, LENGTH u16 of the whole record, data. All integers of the header are in
 * network byte order. Entries of a fixed size follow, sorted by seq_no.
 */
enum pm_kind {
	PM_KIND_END              = 0,
	PM_KIND_MODS             = 1,
	PM_KIND_VERSION          = 2,
	PM_KIND_TABLE_ENTRY_SIZE = 3,
	PM_KIND_DATA_DEFINITION  = 4,
	PM_KIND_ENDIAN           = 5,
	PM_KIND_MCLSIZE          = 6,
	/* nodometer's extension: missed moments and lost snapshots, u64 each */
	PM_KIND_LOSSES           = 0x4e4d,
	/* nodometer's extension: start time, microseconds since the epoch, u64 */
	PM_KIND_START            = 0x4e53,
};

enum pm_endian { PM_LITTLE_ENDIAN, PM_BIG_ENDIAN, PM_PDP_ENDIAN };
enum pm_scope { PM_SCOPE_PM, PM_SCOPE_SYS, PM_SCOPE_INDIV };
enum pm_flags { PM_INT_HOST, PM_INT_NET, PM_STRING };
enum pm_mods { PM_RENO = 1, PM_SACK = 2, PM_FACK = 4, PM_AUTO = 8 };

#define PM_NAME      24		/* bytes of a name: TPM_STRLEN of the report */
#define PM_VERSION    8
#define PM_HEADER_MAX (1u << 20)	/* bytes of the largest header that is read */
#define PM_COLUMNS_MAX 4096

/* A column, from struct tpm_entry_description. */
struct pm_column {
	char name[PM_NAME + 1];	/* name; bytes that are not printable ASCII are read as "_" */
	uint16_t offset;
	uint8_t length;		/* bytes of a value; 0: the kernel does not have this value */
	uint8_t scope;
	uint16_t mask;		/* kernels that have the column, bits of enum pm_mods; 0: all */
	uint16_t flags;
	/*
	 * values from this number on mean "not known"; 0: all values are valid. The number depends
	 * on the column's name.
	 */
	uint32_t unknown;
};

struct pm_header {
	uint16_t mods;
	char version[PM_VERSION + 1];	/* kernel version; "" if not given */
	uint16_t entry_size;
	enum pm_endian endian;
	uint32_t cluster;	/* bytes of an mbuf cluster; 0: not given */
	bool states_losses;
	uint64_t missed_moments;	/* number of intervals without a snapshot */
	/* number of lost snapshots, a lower bound; seq_no skips a number for each */
	uint64_t lost_snapshots;
	bool states_start;
	/* time of the first complete reading of all connections, microseconds; 0: unknown */
	int64_t start;
	struct pm_column *column;
	size_t n_columns, cap;
	size_t bytes;		/* size of the header in the file that was read */
	size_t n_twice;	/* number of repeated definitions; the first definition of a name is used */
	char twice[PM_NAME + 1];	/* first name that was repeated */
};

#define PM_WHY_MAX 96
struct pm_fault {
	size_t at;		/* offset of the fault in the file */
	char why[PM_WHY_MAX];
};

void pm_header_free(struct pm_header *h);

/*
 * Read a header from the start of a file. Missing fields get the report's defaults: RENO,
 * little-endian. Returns 0; -EAGAIN if the header is incomplete and more bytes are needed; or
 * -EBADMSG. Both errors fill *fault.
 */
int pm_read_header(struct str file, struct pm_header *ret, struct pm_fault *fault) MUST_CHECK;

/*
 * Append the records of the header in the order of these kinds: 2, 1, 5, 6, losses, start, 3, 4...,
 * 0. Records for which h has no value are left out.
 */
void pm_put_header(struct buf *b, const struct pm_header *h);

/*
 * Return the column of this name, or NULL if the kernel does not have it. The column m_clused is
 * also found if the file calls it m_closed.
 */
const struct pm_column *pm_column(const struct pm_header *h, const char *name);
/* Tell if the column's mask includes the kind of kernel that wrote the file. */
bool pm_is_relevant(const struct pm_header *h, const struct pm_column *c);

/*
 * Read an unsigned integer of 1, 2, 4 or 8 bytes. Returns false if the column has another size, or
 * has no integers.
 */
bool pm_take(const struct pm_header *h, const struct pm_column *c, const unsigned char *entry,
	     uint64_t *ret);
static inline bool pm_is_known(const struct pm_column *c, uint64_t value)
{
	return c->unknown == 0 || value < c->unknown;
}
/*
 * Tell if column c was read at the time of this entry. valid: the column "valid", which has a bit
 * for each of up to 64 columns; NULL: all columns were read.
 */
bool pm_is_valid(const struct pm_header *h, const struct pm_column *valid,
		 const struct pm_column *c, const unsigned char *entry);
void pm_set(const struct pm_header *h, const struct pm_column *c, unsigned char *entry,
	    uint64_t value);

/* Read a struct timeval of 4+4, 8+4 or 8+8 bytes. Returns false if the column has another size. */
bool pm_take_time(const struct pm_header *h, const struct pm_column *c, const unsigned char *entry,
		  uint64_t *sec, uint64_t *usec);
/*
 * Format an address as "192.0.2.1" or "[2001:db8::1]". IPv4 addresses are stored as ::ffff:a.b.c.d.
 */
#define PM_ADDRESS 48
const char *pm_address(const unsigned char raw[16], char text[PM_ADDRESS]);
void pm_set_time(const struct pm_header *h, const struct pm_column *c, unsigned char *entry,
		 uint64_t sec, uint64_t usec);
