/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_limits.h - how much of a raw file its readers take */
#pragma once

#define RAW_GROUP_BYTES_MAX (64u << 20)	/* a record group is no larger */
#define RAW_TYPES_MAX       4096	/* of one file, redefinitions included */
