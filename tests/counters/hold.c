/* SPDX-License-Identifier: BSD-3-Clause */
/* hold.c - a profiler: opens all counters of CPU 1 for itself, and says how many it got */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
#ifdef __aarch64__
	static const unsigned code[] = { 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8 };
#else	/* hold PM_INST_CMPL on each of the four counters, and the events of counters 5 and 6 */
	static const unsigned code[] = { 0x10002, 0x20002, 0x30002, 0x40002, 0x500fa, 0x600f4 };
#endif
	int n = 0, fd, leader = -1;
	while (n < (int)(sizeof(code) / sizeof(*code))) {
		struct perf_event_attr attr = {
			.size = sizeof(attr), .type = PERF_TYPE_RAW, .config = code[n],
			.pinned = leader < 0, .read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
		};
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, 1, leader, 0);
		if (fd < 0)
			break;
		if (leader < 0)
			leader = fd;
		n++;
	}
	usleep(100000);
	uint64_t value[2] = { 0, 0 };
	if (read(leader, value, sizeof(value)) != sizeof(value))
		value[1] = 0;	/* reading a pinned group that cannot run gives end of file */
	printf("%d counters, %s\n", n, value[1] ? "running" : "kept off");
	return 0;
}
