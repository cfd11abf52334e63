/* SPDX-License-Identifier: BSD-3-Clause */
/* vfs.h - the places of keys in type vfs */
#pragma once

enum { DENTRY_USE, FILE_USE, INODE_USE };
