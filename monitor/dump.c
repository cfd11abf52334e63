/* SPDX-License-Identifier: BSD-3-Clause */
/* dump.c - prints a recording record by record, each field by its symbolic name */
#include "monitor/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"
#include "formats/vms/dump.h"
#include "formats/vms/records.h"

/* The file header may say how many records there are; nothing trusts it. */
static void compare(const char *path, const struct vms_header *h, uint64_t n)
{
	printf("%" PRIu64 " records", n);
	if (h->ending == 0 && h->records == 0)
		puts("; the recording was not closed");
	else if (h->records == n)
		puts(", as the file header says");
	else {
		puts("");
		log_warning("%s: the file header says %u records", path, h->records);
	}
}

static int dump_records(const char *path, struct vms_records *r)
{
	struct vms_header h = { .records = 0 }, newest;
	struct str record;
	uint64_t offset, n = 0;
	enum vms_end end;
	while (vms_records_next(r, &record, &offset, &end)) {
		struct buf b CLEANUP(buf_free) = { 0 };
		if (vms_take_header(record, &newest) == 0)
			h = newest;
		vms_dump(&b, ++n, offset, record, h.revision);
		if (files_write(STDOUT_FILENO, buf_str(&b)) < 0)
			return -EIO;
	}
	fflush(stdout);
	if (end != VMS_END_WHOLE)
		log_error("%s: %s", path, vms_end_text(end));
	if (n)
		compare(path, &h, n);
	return end == VMS_END_WHOLE ? 0 : -EBADMSG;
}

int dump_file(const struct played_file *file)
{
	struct input *in;
	struct vms_records records;
	int r = input_take_file(file->fd, &in);
	if (r < 0) {
		struct buf why CLEANUP(buf_free) = { 0 };
		input_explain(&why, file->path, r);
		log_error("%s: " STR_FMT, file->path, STR_ARG(buf_str(&why)));
		return r;
	}
	struct byte_source src = input_bytes(in);
	vms_records_init(&records, &src);
	r = dump_records(file->path, &records);
	vms_records_free(&records);
	input_free(in);
	return r;
}
