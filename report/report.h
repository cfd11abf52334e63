/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - nodometer report, for programs that print a page of their own */
#pragma once

/* As of a program with these words: the status to exit with, or it exits by itself. */
int report_main(int argc, char **argv);
