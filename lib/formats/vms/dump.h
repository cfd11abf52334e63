/* SPDX-License-Identifier: BSD-3-Clause */
/* dump.h - print a record of a MONITOR recording as text, each field with its symbolic name */
#pragma once

#include "formats/vms/class_record.h"

/*
 * Append "record 3 at 314: type 1, STATES, 69 bytes", and a line for each field, " MNR_CLS$Q_STAMP
 * 3 VALUE". Blocks of unknown layout are printed in hexadecimal. number: counted from 1.
 */
void vms_dump(struct buf *b, uint64_t number, uint64_t offset, struct str record,
	      const unsigned char revision[128]);
