/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - run nodometer report from another program */
#pragma once

/*
 * Run nodometer report with these arguments. Returns its exit status; on wrong usage, exits the
 * calling program.
 */
int report_main(int argc, char **argv);
