/* SPDX-License-Identifier: BSD-3-Clause */
/* passthrough.h - let the kernel do reads and writes itself if nobody records them */
#pragma once

#include "filetrace/mount/fs.h"

/*
 * Offer passthrough to the kernel, by completing libfuse's reply to the kernel's first request:
 * libfuse before 3.17 does not know passthrough. Call this before the session's loop. Returns 0;
 * -EOPNOTSUPP if the kernel lacks passthrough (before 6.9, or without CONFIG_FUSE_PASSTHROUGH); or
 * another -errno.
 */
int passthrough_start(struct fuse_session *s) MUST_CHECK;

/*
 * Reply like fuse_reply_open() and fuse_reply_create(), and let the kernel read and write the
 * underlying file. If this is impossible for a file, its reads and writes come as requests.
 */
int passthrough_reply_open(struct fs_call *c, const struct fuse_file_info *fi);
int passthrough_reply_create(struct fs_call *c, const struct fuse_entry_param *entry,
			     const struct fuse_file_info *fi);

/* Release the kernel's number for an underlying file. Does nothing if the number is 0. */
void passthrough_end(const struct fs *fs, int32_t backing);
