/* SPDX-License-Identifier: BSD-3-Clause */
/* vfs.h - indexes of the keys of type vfs */
#pragma once

enum { DENTRY_USE, FILE_USE, INODE_USE };
