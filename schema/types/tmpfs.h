/* SPDX-License-Identifier: BSD-3-Clause */
/* tmpfs.h - indexes of the keys of type tmpfs */
#pragma once

enum { BYTES_USED, FILES_USED };
