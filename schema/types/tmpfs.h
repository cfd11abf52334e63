/* SPDX-License-Identifier: BSD-3-Clause */
/* tmpfs.h - the places of keys in type tmpfs */
#pragma once

enum { BYTES_USED, FILES_USED };
