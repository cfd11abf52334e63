/* SPDX-License-Identifier: BSD-3-Clause */
/* html_look.h - how a page looks and is sorted */
#pragma once

extern const char html_style[], html_script[];
