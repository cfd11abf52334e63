/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - nodometer report, for programs that print a page of their own */
#pragma once

/* Runs nodometer report with these words: returns its exit status, or exits at wrong usage. */
int report_main(int argc, char **argv);
