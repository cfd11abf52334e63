/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_sw.h - number of keys of type ib_sw */
#pragma once

enum { IB_SW_KEYS = 4 };
