/* SPDX-License-Identifier: BSD-3-Clause */
/* close_all.h - closing files where Linux may be older than the call for it */
#pragma once

/* Closes whatever is open but a, b and 0 to 2; also where the kernel has no close_range(2). */
void close_all_but(int a, int b);
