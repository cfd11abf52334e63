/* SPDX-License-Identifier: BSD-3-Clause */
/* filesystem.h - indexes of the keys of type filesystem */
#pragma once

enum { FS_SIZE, FS_FREE, FS_AVAIL, FS_FILES, FS_FILES_FREE, FS_READONLY };
