/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - nodometer report, for programs that print their own pages */
#pragma once

/* Run nodometer report with these arguments. Returns its exit status, but exits on wrong usage. */
int report_main(int argc, char **argv);
