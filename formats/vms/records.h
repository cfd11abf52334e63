/* SPDX-License-Identifier: BSD-3-Clause */
/* records.h - the records of a MONITOR recording one by one, with or without their RMS frames */
#pragma once

#include "formats/vms/records_state.h"

const char *vms_end_text(enum vms_end end);	/* a sentence without a full stop */

void vms_records_init(struct vms_records *r, const struct byte_source *src);
void vms_records_free(struct vms_records *r);

/*
 * The next record, of at least one byte, valid until the next call, and where in the file it
 * begins. False: *end says why there is none.
 */
bool vms_records_next(struct vms_records *r, struct str *ret, uint64_t *offset,
		      enum vms_end *end);
