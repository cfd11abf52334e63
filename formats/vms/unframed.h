/* SPDX-License-Identifier: BSD-3-Clause */
/* unframed.h - how long a record is where the transfer has dropped the lengths */
#pragma once

#include "formats/vms/records_state.h"

/* A file header stands at the start. */
bool unframed_begins(struct str s);

/*
 * Of the record at the start of s, which is all there is or more than two records. Lengths that the
 * type leaves open (52 bytes of system information, the class header of V8.3) are those after which
 * another record begins. 0: *end says why there is none.
 */
size_t unframed_length(struct vms_records *r, struct str s, enum vms_end *end);
