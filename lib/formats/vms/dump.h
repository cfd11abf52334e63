/* SPDX-License-Identifier: BSD-3-Clause */
/* dump.h - a record of a MONITOR recording as text: each field by its symbolic name */
#pragma once

#include "formats/vms/class_record.h"

/*
 * "record 3 at 314: type 1, STATES, 69 bytes" and a line per field, "  MNR_CLS$Q_STAMP  3  VALUE";
 * blocks of unknown layout in hexadecimal. number: from 1 on.
 */
void vms_dump(struct buf *b, uint64_t number, uint64_t offset, struct str record,
	      const unsigned char revision[128]);
