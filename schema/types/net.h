/* SPDX-License-Identifier: BSD-3-Clause */
/* net.h - the shape of type net */
#pragma once

enum { NET_KEYS = 24 };
