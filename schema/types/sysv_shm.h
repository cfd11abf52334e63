/* SPDX-License-Identifier: BSD-3-Clause */
/* sysv_shm.h - indexes of the keys of type sysv_shm */
#pragma once

enum { MEM_USED, SEGS_USED };
