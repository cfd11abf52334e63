/* SPDX-License-Identifier: BSD-3-Clause */
/* cpufreq.h - indexes of the keys of type cpufreq */
#pragma once

enum { FREQUENCY, CHANGES, CYCLES, FREQUENCY_MIN, FREQUENCY_MAX };
