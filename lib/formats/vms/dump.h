/* SPDX-License-Identifier: BSD-3-Clause */
/* dump.h - print a record of a MONITOR recording, field by field */
#pragma once

#include "formats/vms/class_record.h"

/*
 * Append "record 3 at 314: type 1, STATES, 69 bytes", then a line for each field: symbol, offset,
 * value. Blocks of unknown layout are hexadecimal. number: the first record has number 1.
 */
void vms_dump(struct buf *b, uint64_t number, uint64_t offset, struct str record,
	      const unsigned char revision[128]);
