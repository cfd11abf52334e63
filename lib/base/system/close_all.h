/* SPDX-License-Identifier: BSD-3-Clause */
/* close_all.h - close all descriptors, also on Linux before 5.9 */
#pragma once

/* Close all descriptors except 0 to 2, a and b. */
void close_all_but(int a, int b);
