/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ipmi_dcmi.c - read power from a BMC that answers, refuses, lies or hangs */
#include "tests/unit/tree.h"

#include <linux/ipmi.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include "collectors/collector.h"
#include "recorder/sampler.h"

/* Replace the IPMI driver: the BMC answers with the contents of the device file. */
static struct driver {
	int sends, fails;	/* errno of sending and of receiving, 0 for success */
	int late;		/* number of late answers to earlier requests, received first */
	bool is_long;		/* the answer is longer than the caller's buffer */
	struct ipmi_req asked;
	unsigned char body[8];
} driver;

static int answer(int fd, struct ipmi_recv *got)
{
	ssize_t n = pread(fd, got->msg.data, got->msg.data_len, 0);
	assert_true(n >= 0);
	got->recv_type = IPMI_RESPONSE_RECV_TYPE;
	got->msg.data_len = (unsigned short)n;
	got->msgid = driver.asked.msgid - (driver.late > 0);
	driver.late -= driver.late > 0;
	errno = EMSGSIZE;
	return driver.is_long ? -1 : 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	va_start(ap, request);
	void *arg = va_arg(ap, void *);
	va_end(ap);
	errno = request == IPMICTL_SEND_COMMAND ? driver.sends : driver.fails;
	if (errno)
		return -1;
	if (request == IPMICTL_RECEIVE_MSG_TRUNC)
		return answer(fd, arg);
	assert_int_equal(request, IPMICTL_SEND_COMMAND);
	driver.asked = *(struct ipmi_req *)arg;
	memcpy(driver.body, driver.asked.msg.data, driver.asked.msg.data_len);
	return 0;
}

/* A power reading: 300 W now, 100 to 400 W and 250 W on average over the last minute. */
#define CODE   "\0"
#define GROUP  "\xdc"
#define WATTS  "\x2c\x01\x64\x00\x90\x01\xfa\x00"
#define STAMP  "\x11\x22\x33\x44"
#define MINUTE "\x60\xea\x00\x00"
#define ON     "\x40"
#define GOOD   CODE GROUP WATTS STAMP MINUTE ON

struct bmc {
	const struct collector *c;
	struct tree root;
	struct files files;
	struct shared shared;
	struct source source;
};

static void bmc_begin(struct bmc *b)
{
	*b = (struct bmc){ .files = { .rootfd = -1 } };
	driver = (struct driver){ .sends = 0 };
	tree_make(&b->root);
	assert_int_equal(files_open_root(&b->files, b->root.path), 0);
	b->c = collector_find("ipmi_dcmi");
	source_init(&b->source, &b->files, b->c->type->metrics, b->c->type->n_metrics);
	b->source.shared = &b->shared;
}

static void bmc_end(struct bmc *b)
{
	source_free(&b->source);
	shared_free(&b->shared);
	files_free(&b->files);
	tree_free(&b->root);
}

static int collect(struct bmc *b)
{
	source_clear(&b->source);
	return b->c->collect(&b->source);
}

static int collect_of(struct bmc *b, struct str answer)
{
	tree_put(&b->root, "dev/ipmi0", answer);
	return collect(b);
}

static void assert_watts(const struct bmc *b, uint64_t now)
{
	static const uint64_t rest[] = { 100, 400, 250, 60000 };
	assert_int_equal(b->source.rows.n, 1);
	const uint64_t *v = rows_values(&b->source.rows, 0);
	assert_int_equal(*rows_present(&b->source.rows, 0), 0x1f);
	assert_int_equal(v[0], now);
	assert_memory_equal(v + 1, rest, sizeof(rest));
}

TEST(power_is_the_controllers_reading)
{
	struct bmc b CLEANUP(bmc_end);
	bmc_begin(&b);
	assert_int_equal(collect_of(&b, STR(GOOD)), 0);
	assert_watts(&b, 300);
	assert_int_equal(driver.asked.msg.netfn, 0x2c);
	assert_int_equal(driver.asked.msg.cmd, 2);
	assert_memory_equal(driver.body, "\xdc\x01\0\0", 4);
	driver.late = 3;
	assert_int_equal(collect(&b), 0);
	assert_watts(&b, 300);
	driver.is_long = true;
	assert_int_equal(collect(&b), 0);
	assert_watts(&b, 300);
}

TEST(short_or_non_dcmi_answer_is_refused)
{
	struct bmc b CLEANUP(bmc_end);
	bmc_begin(&b);
	for (size_t n = 0; n < sizeof(GOOD) - 1; n++) {
		assert_int_equal(collect_of(&b, (struct str){ GOOD, n }), -EBADMSG);
		assert_int_equal(b.source.rows.n, 0);
	}
	assert_int_equal(collect_of(&b, STR(CODE "\xdd" WATTS STAMP MINUTE ON)), -EBADMSG);
	assert_int_equal(b.source.rows.n, 0);
}

TEST(controller_that_does_not_measure_has_no_row)
{
	struct bmc b CLEANUP(bmc_end);
	bmc_begin(&b);
	assert_int_equal(collect_of(&b, STR(CODE GROUP WATTS STAMP MINUTE "\0")), -EIO);
	assert_string_equal(b.source.why, "the BMC does not measure power now");
	assert_int_equal(b.source.rows.n, 0);
	assert_int_equal(collect_of(&b, STR(CODE GROUP "\0\0\0\0\0\0\0\0" STAMP MINUTE ON)), -EIO);
	assert_int_equal(b.source.rows.n, 0);
}

TEST(controller_without_dcmi_is_absent_and_a_busy_one_in_error)
{
	struct bmc b CLEANUP(bmc_end);
	bmc_begin(&b);
	assert_int_equal(collect_of(&b, STR("\xc1")), -ENOENT);
	assert_string_equal(b.source.why,
			    "the BMC has no DCMI power reading (code 0xc1)");
	assert_int_equal(collect_of(&b, STR("\xc0")), -EIO);
	assert_string_equal(b.source.why,
			    "the BMC refuses a power reading (code 0xc0)");
	assert_int_equal(b.source.rows.n, 0);
}

TEST(failed_driver_is_opened_again)
{
	struct bmc b CLEANUP(bmc_end);
	bmc_begin(&b);
	assert_int_equal(b.c->present(&b.source), -ENOENT);
	assert_int_equal(collect(&b), -ENOENT);
	assert_int_equal(collect_of(&b, STR(GOOD)), 0);
	assert_int_equal(b.c->present(&b.source), 0);
	driver.sends = ENODEV;
	assert_int_equal(collect(&b), -ENODEV);
	assert_string_equal(b.source.why, "/dev/ipmi0: No such device");
	driver = (struct driver){ .fails = EFAULT };
	assert_int_equal(collect(&b), -EFAULT);
	assert_int_equal(b.source.rows.n, 0);
	driver.fails = 0;
	assert_int_equal(unlinkat(b.root.fd, "dev/ipmi0", 0), 0);
	assert_int_equal(collect(&b), -ENOENT);
	assert_int_equal(collect_of(&b, STR(GOOD)), 0);
	assert_watts(&b, 300);
}

/* The BMC's device is a FIFO that nobody writes to, so poll(2) waits as for a BMC that hangs. */
TEST(hanging_controller_makes_its_type_miss_the_deadline)
{
	struct bmc b CLEANUP(bmc_end);
	struct sampler s;
	enum type_use *use = xrealloc(NULL, n_collectors * sizeof(*use));
	size_t own = 0;
	bmc_begin(&b);
	for (size_t i = 0; i < n_collectors; i++) {
		use[i] = types[i] == &ipmi_dcmi_type ? USE_ON : USE_OFF;
		own = use[i] == USE_ON ? i : own;
	}
	assert_int_equal(mkdirat(b.root.fd, "dev", 0755), 0);
	assert_int_equal(mkfifoat(b.root.fd, "dev/ipmi0", 0600), 0);
	int writer CLEANUP(close_fd) = openat(b.root.fd, "dev/ipmi0", O_RDWR | O_CLOEXEC);
	assert_true(writer >= 0);
	assert_int_equal(sampler_init(&s, b.root.path, use, 100000000), 0);
	sampler_collect(&s);
	assert_int_equal(s.type[own].result, -ETIMEDOUT);
	assert_int_equal(s.type[own].source.rows.n, 0);
	sampler_free(&s);
	free(use);
}

int main(void)
{
	RUN(cmocka_unit_test(power_is_the_controllers_reading),
	    cmocka_unit_test(short_or_non_dcmi_answer_is_refused),
	    cmocka_unit_test(controller_that_does_not_measure_has_no_row),
	    cmocka_unit_test(controller_without_dcmi_is_absent_and_a_busy_one_in_error),
	    cmocka_unit_test(failed_driver_is_opened_again),
	    cmocka_unit_test(hanging_controller_makes_its_type_miss_the_deadline));
}
