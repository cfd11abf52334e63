/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_rms.c - for any recorded operations on files, the recording of class RMS is complete, and
 * its header has the right number of records
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/base.h"
#include "base/files.h"
#include "formats/vms/recording.h"
#include "filetrace/event_read.h"
#include "filetrace/rms.h"

#define MONTH 2592000	/* interval in seconds; long, so that any times give few intervals */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ssize_t give(void *arg, char *to, size_t n)
{
	return read(*(int *)arg, to, n);
}

/*
 * Check that every record is whole, that the header has the right number of records, and that each
 * interval has a block for each file.
 */
static void check(int fd, const struct rms *rms, size_t left_out)
{
	struct byte_source src = { give, &fd };
	struct vms_recording r;
	size_t files = 0, moments = 0;
	enum vms_event e;

	if (lseek(fd, 0, SEEK_SET) < 0 || vms_recording_open(&r, &src, NULL) < 0)
		abort();
	while ((e = vms_recording_next(&r)) != VMS_RECORDING_ENDS) {
		files += e == VMS_FILE_IS;
		if (e != VMS_CLASS_IS)
			continue;
		moments++;
		if (r.set.number != VMS_RMS || r.set.opaque || r.set.n != files)
			abort();
	}
	if (r.end != VMS_END_WHOLE || moments < 2 || files + left_out != rms->n_files ||
	    r.records != r.header.records)
		abort();
	vms_recording_close(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = { (const char *)data, size };
	struct event_line l = { 0 };
	struct rms rms = { 0 };
	size_t left_out = 0;

	while (in.n)
		if (event_parse(&in, true, &l) == 0)
			rms_add(&rms, &l.e);
	int fd CLEANUP(close_fd) = memfd_create("rms", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	int e = rms_write(&rms, MONTH, fd, &left_out);
	if (e == 0)
		check(fd, &rms, left_out);
	else if (e != -ENODATA && e != -ERANGE)
		abort();
	rms_free(&rms);
	event_line_free(&l);
	return 0;
}
