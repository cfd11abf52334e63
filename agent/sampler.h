/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.h - takes one sample of every active type and prints it as a record group */
#pragma once
