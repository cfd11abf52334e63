/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ipmi_dcmi - power of the whole node, as measured by its management controller (BMC)
 *
 * A sample sends DCMI's request Get Power Reading (DCMI 1.5, 6.6.1) through the kernel's message
 * interface (linux/ipmi.h). A worker process sends the request, because a BMC may take seconds to
 * answer, or hang. The type is off by default, because the kernel may keep a CPU busy with polling
 * the BMC. Sending a request needs no write permission on the device.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ipmi.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include "base/clock.h"

#define DEVICE       "dev/ipmi0"
/* how long the kernel waits for the BMC: drivers/char/ipmi/ipmi_kcs_sm.c */
#define ANSWER_MS    5000
/* network function for commands of other standards, such as DCMI */
#define NETFN_GROUP  0x2c
#define GROUP_DCMI   0xdc
#define GET_READING  0x02
#define MODE_SYSTEM  0x01	/* request the current power of the whole node */
#define IS_MEASURING 0x40	/* bit 6 of the byte "state": the measurement is active */

/*
 * Completion codes for a command, a logical unit (LUN) or request data that the BMC does not
 * support: IPMI 2.0, table 5-2.
 */
#define CODE_NO_COMMAND    0xc1
#define CODE_NO_LUN        0xc2
#define CODE_NO_PARAMETER  0xcc

/*
 * Byte offsets in the answer: completion code, group, power values in watts, averaging period in
 * ms, and state.
 */
enum {
	AT_CODE, AT_GROUP, AT_NOW, AT_MIN = 4, AT_MAX = 6, AT_MEAN = 8, AT_PERIOD = 14,
	AT_STATE = 18, ANSWER_BYTES
};

enum { POWER, POWER_MIN, POWER_MAX, POWER_MEAN, PERIOD };

struct ipmi_state {
	int fd;			/* descriptor of the device; 0: not open */
	long id;		/* id of the last request */
};

static void ipmi_free_state(void *state)
{
	struct ipmi_state *st = state;
	if (st->fd > 0)
		close_fd(&st->fd);
}

static int ipmi_absent(struct source *s)
{
	return source_absent(s, "no /" DEVICE ": no BMC, or ipmi_devintf is not loaded");
}

static int ipmi_present(struct source *s)
{
	return source_devices(s, "dev", "ipmi") > 0 ? 0 : ipmi_absent(s);
}

static int ipmi_send_request(struct ipmi_state *st)
{
	static unsigned char data[] = { GROUP_DCMI, MODE_SYSTEM, 0, 0 };
	struct ipmi_system_interface_addr bmc = {
		.addr_type = IPMI_SYSTEM_INTERFACE_ADDR_TYPE, .channel = IPMI_BMC_CHANNEL,
	};
	struct ipmi_req request = {
		.addr = (unsigned char *)&bmc, .addr_len = sizeof(bmc), .msgid = ++st->id,
		.msg = { .netfn = NETFN_GROUP, .cmd = GET_READING, .data = data,
			 .data_len = sizeof(data) },
	};
	return ioctl(st->fd, IPMICTL_SEND_COMMAND, &request) < 0 ? -errno : 0;
}

/*
 * Receive one message. Returns 0, with the size of the message in *n; -EAGAIN if the message
 * answers an earlier request; or another -errno.
 */
static int ipmi_receive(struct ipmi_state *st, unsigned char *answer, size_t *n)
{
	struct ipmi_addr from;
	struct ipmi_recv got = {
		.addr = (unsigned char *)&from, .addr_len = sizeof(from),
		.msg = { .data = answer, .data_len = ANSWER_BYTES },
	};
	/* EMSGSIZE: the answer was longer than the buffer and was truncated */
	if (ioctl(st->fd, IPMICTL_RECEIVE_MSG_TRUNC, &got) < 0 && errno != EMSGSIZE)
		return -errno;
	if (got.recv_type != IPMI_RESPONSE_RECV_TYPE || got.msgid != st->id)
		return -EAGAIN;
	*n = got.msg.data_len < ANSWER_BYTES ? got.msg.data_len : ANSWER_BYTES;
	return 0;
}

static int ipmi_wait_for_answer(struct ipmi_state *st, unsigned char *answer, size_t *n)
{
	int64_t until = monotonic_ns() + ANSWER_MS * INT64_C(1000000);
	int r = -EAGAIN;
	while (r == -EAGAIN) {
		int64_t left = until - monotonic_ns();
		struct pollfd p = { .fd = st->fd, .events = POLLIN };
		int ready = left > 0 ? poll(&p, 1, (int)(left / 1000000) + 1) : 0;
		if (ready == 0)
			return -ETIMEDOUT;
		r = ready > 0 ? ipmi_receive(st, answer, n) : errno == EINTR ? -EAGAIN : -errno;
	}
	return r;
}

static uint64_t little_endian(const unsigned char *p, size_t n)
{
	uint64_t v = 0;
	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

static int ipmi_refused(struct source *s, unsigned code)
{
	if (code == CODE_NO_COMMAND || code == CODE_NO_LUN || code == CODE_NO_PARAMETER)
		return source_absent(s, "the BMC has no DCMI power reading (code 0x%02x)", code);
	source_absent(s, "the BMC refuses a power reading (code 0x%02x)", code);
	return -EIO;
}

/*
 * Add a row from an answer. 0 W is an error: some BMCs report 0 W if the sensor does not respond.
 */
static int ipmi_add_reading(struct source *s, const unsigned char *a, size_t n)
{
	if (n > AT_CODE && a[AT_CODE] != 0)
		return ipmi_refused(s, a[AT_CODE]);
	if (n < ANSWER_BYTES || a[AT_GROUP] != GROUP_DCMI)
		return -EBADMSG;
	uint64_t watts = little_endian(a + AT_NOW, 2);
	if (!(a[AT_STATE] & IS_MEASURING) || watts == 0) {
		source_absent(s, "the BMC does not measure power now");
		return -EIO;
	}
	struct row row = rows_add(&s->rows, STR("-"));
	row_set(row, POWER, watts);
	row_set(row, POWER_MIN, little_endian(a + AT_MIN, 2));
	row_set(row, POWER_MAX, little_endian(a + AT_MAX, 2));
	row_set(row, POWER_MEAN, little_endian(a + AT_MEAN, 2));
	row_set(row, PERIOD, little_endian(a + AT_PERIOD, 4));
	return 0;
}

static int ipmi_open_device(struct source *s, struct ipmi_state *st)
{
	int fd = files_open(&s->files, DEVICE, O_RDONLY);
	if (fd == -ENOENT)
		return ipmi_absent(s);
	if (fd < 0) {
		source_absent(s, "/" DEVICE ": %s", strerror(-fd));
		return fd;
	}
	st->fd = fd;
	return 0;
}

/*
 * Collect one reading. After an error, the next sample opens the device again, because the driver
 * may have been reloaded.
 */
static int ipmi_collect(struct source *s)
{
	struct ipmi_state *st = source_state(s, sizeof(*st));
	unsigned char answer[ANSWER_BYTES];
	size_t n = 0;
	s->end_state = ipmi_free_state;
	int r = st->fd > 0 ? 0 : ipmi_open_device(s, st);
	if (r < 0)
		return r;
	r = ipmi_send_request(st);
	if (r == 0)
		r = ipmi_wait_for_answer(st, answer, &n);
	if (r == 0)
		return ipmi_add_reading(s, answer, n);
	source_absent(s, "/" DEVICE ": %s", strerror(-r));
	source_end_state(s);
	return r;
}

const struct collector ipmi_dcmi_collector = {
	.type     = &ipmi_dcmi_type,
	.collect  = ipmi_collect,
	.present  = ipmi_present,
	.needs    = PRIVILEGE_SEARCH,
	.start_ms = ANSWER_MS,
};
