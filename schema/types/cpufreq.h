/* SPDX-License-Identifier: BSD-3-Clause */
/* cpufreq.h - the places of keys in type cpufreq */
#pragma once

enum { FREQUENCY, CHANGES, CYCLES };
