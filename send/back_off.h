/* SPDX-License-Identifier: BSD-3-Clause */
/* back_off.h - when what failed is tried again: not all senders at the same moment */
#pragma once

#include <stdint.h>

/*
 * For how many nanoseconds to rest: up to 2, 4, 8, ... 128 seconds, each moment as likely as any
 * other but the first fiftieth. *again_s is 0 after what went well. By random(3).
 */
int64_t back_off_ns(int *again_s);
