/* SPDX-License-Identifier: BSD-3-Clause */
/* net.h - number of keys of type net */
#pragma once

enum { NET_KEYS = 24 };
