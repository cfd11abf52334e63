/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_mad.c - read the counters of the switch that an InfiniBand port is cabled to (libibmad) */
#include "collectors/ib_mad.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>
#include "base/system/library.h"
#include "base/str.h"

#ifdef HAVE_IBMAD
#include <infiniband/mad.h>
#include <infiniband/umad.h>

#define LIBRARY "libibmad.so.5"
#define TIMEOUT_MS 100
#define TRIES 2
#define ANSWER_MAX 1024		/* bytes; larger than any answer that the library returns */
#define NODE_IS_SWITCH 2	/* value of NodeType in NodeInfo (IBTA specification) */

/*
 * Bits 9 and 10 of CapabilityMask in the ClassPortInfo of PerfMgt (IBTA specification): the port
 * has 64-bit counters, with or without counters of multicast packets.
 */
#define HAS_64_BITS (1u << 9 | 1u << 10)

static struct {
	__typeof__(mad_rpc_open_port) *open;
	__typeof__(mad_rpc_close_port) *close;
	__typeof__(mad_rpc_set_retries) *set_tries;
	__typeof__(smp_query_via) *ask_node;
	__typeof__(pma_query_via) *ask_counters;
	__typeof__(mad_get_field) *field;
	__typeof__(mad_get_field64) *field64;
} mad;

#define SYMBOL(name, member) { name, offsetof(__typeof__(mad), member), false }
static const struct library_symbol symbols[] = {
	SYMBOL("mad_rpc_open_port", open),
	SYMBOL("mad_rpc_close_port", close),
	SYMBOL("mad_rpc_set_retries", set_tries),
	SYMBOL("smp_query_via", ask_node),
	SYMBOL("pma_query_via", ask_counters),
	SYMBOL("mad_get_field", field),
	SYMBOL("mad_get_field64", field64),
};

/* Redirect standard error to /dev/null, because libibmad always prints a line for each timeout. */
static void be_quiet(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static struct ibmad_port *open_port(const char *adapter, int port)
{
	char name[UMAD_CA_NAME_LEN];
	int classes[] = { IB_SMI_DIRECT_CLASS, IB_PERFORMANCE_CLASS };
	if (!str_copy(name, sizeof(name), str_of(adapter))) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	errno = 0;
	struct ibmad_port *p = mad.open(name, port, classes, ARRAY_SIZE(classes));
	if (p)
		mad.set_tries(p, TRIES);
	else if (!errno)
		errno = EIO;
	return p;
}

static void close_port(struct ibmad_port *p)
{
	mad.close(p);
}

static int result(const void *answer)
{
	return answer ? 0 : errno > 0 ? -errno : -EIO;
}

/*
 * Send a query to the other end of the port's cable. A directed route of one hop works even without
 * a subnet manager.
 */
static int ask_neighbour(const struct ibmad_port *p, int port, unsigned attribute, uint8_t *answer)
{
	ib_portid_t to = { .drpath = { .cnt = 1, .p = { 0, (uint8_t)port },
				       .drslid = 0xffff, .drdlid = 0xffff } };
	errno = 0;
	return result(mad.ask_node(answer, &to, attribute, 0, TIMEOUT_MS, p));
}

static int ask_switch(const struct ibmad_port *p, const struct ib_switch *at, unsigned attribute,
		      uint8_t *answer)
{
	ib_portid_t to = { .lid = at->lid };
	errno = 0;
	return result(mad.ask_counters(answer, &to, at->port, TIMEOUT_MS, attribute, p));
}

static int find_switch(const struct ibmad_port *p, int port, struct ib_switch *ret)
{
	uint8_t answer[ANSWER_MAX] = { 0 };
	struct ib_switch at;
	int r = ask_neighbour(p, port, IB_ATTR_NODE_INFO, answer);
	if (r < 0)
		return r;
	if (mad.field(answer, 0, IB_NODE_TYPE_F) != NODE_IS_SWITCH)
		return -ENOTCONN;

	at.port = (int)mad.field(answer, 0, IB_NODE_LOCAL_PORT_F);
	r = ask_neighbour(p, port, IB_ATTR_PORT_INFO, answer);
	if (r < 0)
		return r;
	at.lid = (int)mad.field(answer, 0, IB_PORT_LID_F);
	if (at.lid == 0)
		return -EADDRNOTAVAIL;	/* no subnet manager has configured the switch yet */
	r = ask_switch(p, &at, CLASS_PORT_INFO, answer);
	if (r < 0)
		return r;
	if (!(mad.field(answer, 0, IB_CPI_CAPMASK_F) & HAS_64_BITS))
		return -EOPNOTSUPP;
	*ret = at;
	return 0;
}

static int counters(const struct ibmad_port *p, const struct ib_switch *at,
		    uint64_t value[IB_SWITCH_KEYS])
{
	static const enum MAD_FIELDS field[IB_SWITCH_KEYS] = {
		[IB_RCV_DATA]  = IB_PC_EXT_RCV_BYTES_F, [IB_RCV_PACKETS]  = IB_PC_EXT_RCV_PKTS_F,
		[IB_XMIT_DATA] = IB_PC_EXT_XMT_BYTES_F, [IB_XMIT_PACKETS] = IB_PC_EXT_XMT_PKTS_F,
	};
	uint8_t answer[ANSWER_MAX] = { 0 };
	int r = ask_switch(p, at, IB_GSI_PORT_COUNTERS_EXT, answer);
	if (r < 0)
		return r;
	for (size_t i = 0; i < IB_SWITCH_KEYS; i++)
		value[i] = mad.field64(answer, 0, field[i]);
	return 0;
}
static const struct ib_mad ib_mad = { open_port, close_port, find_switch, counters };

const struct ib_mad *ib_mad_load(const char **why)
{
	if (!mad.open && library_load(LIBRARY, symbols, ARRAY_SIZE(symbols), &mad, why) < 0)
		return NULL;
	be_quiet();
	return &ib_mad;
}
#else
const struct ib_mad *ib_mad_load(const char **why)
{
	*why = "built without libibmad";
	return NULL;
}
#endif
