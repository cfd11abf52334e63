/* SPDX-License-Identifier: BSD-3-Clause */
/* sysv_shm.h - the places of keys in type sysv_shm */
#pragma once

enum { MEM_USED, SEGS_USED };
