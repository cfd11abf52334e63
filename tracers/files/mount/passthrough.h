/* SPDX-License-Identifier: BSD-3-Clause */
/* passthrough.h - files that the kernel reads and writes itself, where nobody records it */
#pragma once

#include "tracers/files/mount/fs.h"

/*
 * Offers it to the kernel, before the session's loop. libfuse cannot before 3.17: the kernel's
 * first request is answered by it, and the answer is completed on its way. 0; -EOPNOTSUPP: the
 * kernel lacks it (before 6.9, or without CONFIG_FUSE_PASSTHROUGH); -errno.
 */
int passthrough_start(struct fuse_session *s) MUST_CHECK;

/*
 * The same as the answers of libfuse with these names, with the file below for reads and writes.
 * Where that file cannot be used so, they come as requests, as if nothing had been offered.
 */
int passthrough_reply_open(struct call *c, const struct fuse_file_info *fi);
int passthrough_reply_create(struct call *c, const struct fuse_entry_param *entry,
			     const struct fuse_file_info *fi);

/* Ends the use of the file below that has this number; 0 is none. */
void passthrough_end(const struct fs *fs, int32_t backing);
