/* SPDX-License-Identifier: BSD-3-Clause */
/* convert.c - write records as a recording of OpenVMS MONITOR; explain why a file is unreadable */
#include "data/convert.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "archive/input.h"
#include "base/log.h"
#include "base/system/program.h"

/* number of bytes at the start of a file that show whether it is output of nodometer cat */
#define LOOK_BYTES 8

void convert_explain(const char *file, int fd)
{
	char first[LOOK_BYTES];
	struct input *in;

	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    input_take_file(fcntl(fd, F_DUPFD_CLOEXEC, 3), &in) < 0)
		return;
	const struct byte_source bytes = input_bytes(in);
	ssize_t n = bytes.read(bytes.arg, first, sizeof(first));
	struct str text = { first, n > 0 ? (size_t)n : 0 };
	if (str_starts(text, STR("{")) || str_starts(text, STR("time,")))
		log_error("%s: CSV and JSON lines do not say which keys are counters, nor how wide "
			  "they are: convert the original file instead", file);
	input_free(in);
}

void convert_to_monitor(const char *output, char *const *file, size_t n)
{
	static char name[] = "nodometer-monitor", all[] = "all_classes", record[] = "--record";
	struct buf input CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < n; i++)
		buf_addf(&input, "%s%s", i ? "," : "--input=", file[i]);
	buf_add_char(&input, '\0');
	int e = program_run("monitor", (char *[]){ name, all, record, (char *)output, input.p,
						   NULL });
	log_error("nodometer-monitor: %s", strerror(-e));
}
