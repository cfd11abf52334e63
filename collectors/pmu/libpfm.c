/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm.c - look up events in libpfm4 */
#include "collectors/pmu/libpfm.h"

#include <errno.h>
#ifdef HAVE_LIBPFM
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/system/library.h"
#include "base/str.h"

/* enable bit of a box's register: libpfm4 sets the bit, although the kernel sets it by itself */
#define BOX_ENABLED 0x400000ull

static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_pmu_info) *pmu_info;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_attr_info) *attribute_info;
	__typeof__(pfm_get_os_event_encoding) *encode;
} pfm;

#define SYMBOL(member, name) { name, (size_t)((char *)&pfm.member - (char *)&pfm), false }

int libpfm_load(const char **why)
{
	const struct library_symbol symbols[] = {
		SYMBOL(initialize,     "pfm_initialize"),
		SYMBOL(strerror,       "pfm_strerror"),
		SYMBOL(pmu_info,       "pfm_get_pmu_info"),
		SYMBOL(event_info,     "pfm_get_event_info"),
		SYMBOL(event_next,     "pfm_get_event_next"),
		SYMBOL(attribute_info, "pfm_get_event_attr_info"),
		SYMBOL(encode,         "pfm_get_os_event_encoding"),
	};
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	int r = library_load("libpfm.so.4", symbols, ARRAY_SIZE(symbols), &pfm, why);
	if (r < 0)
		return r;
	int error = pfm.initialize();
	if (error == PFM_SUCCESS)
		return 0;
	*why = pfm.strerror(error);
	return -ENOENT;
}

int libpfm_pmu_at(int i, struct libpfm_pmu *ret)
{
	pfm_pmu_info_t p = { .size = sizeof(p) };
	if (i >= PFM_PMU_MAX)
		return -1;
	if (pfm.pmu_info((pfm_pmu_t)i, &p) != PFM_SUCCESS)
		return 0;
	*ret = (struct libpfm_pmu){
		.name = p.name, .desc = p.desc, .present = p.is_present, .first = p.first_event,
		.kind = p.type == PFM_PMU_TYPE_CORE ? LIBPFM_CORE :
			p.type == PFM_PMU_TYPE_OS_GENERIC ? LIBPFM_KERNEL : LIBPFM_BOX,
	};
	return 1;
}

bool libpfm_event_at(int index, struct libpfm_event *ret, int *next)
{
	pfm_event_info_t e = { .size = sizeof(e) };
	if (index < 0 || pfm.event_info(index, PFM_OS_NONE, &e) != PFM_SUCCESS)
		return false;
	*ret = (struct libpfm_event){ e.name, e.desc, index, e.nattrs };
	*next = pfm.event_next(index);
	return true;
}

bool libpfm_attribute_at(const struct libpfm_event *e, int i, struct libpfm_attribute *ret)
{
	pfm_event_attr_info_t a = { .size = sizeof(a) };
	if (i >= e->n_attributes ||
	    pfm.attribute_info(e->index, i, PFM_OS_PERF_EVENT, &a) != PFM_SUCCESS)
		return false;
	*ret = (struct libpfm_attribute){
		.name = a.name, .desc = a.desc, .umask = a.type == PFM_ATTR_UMASK,
		.usual = a.is_dfl,
	};
	return true;
}

static void take_attr(const char *event, const struct perf_event_attr *attr,
		      struct libpfm_answer *a)
{
	/* without these modifiers, the event counts host and guest */
	bool machine = strstr(event, ":mg") || strstr(event, ":mh");
	a->type = attr->type;
	a->config = attr->config;
	a->config1 = attr->config1;
	a->config2 = attr->config2;
	a->exclude = (attr->exclude_user ? LIBPFM_NO_USER : 0) |
		     (attr->exclude_kernel ? LIBPFM_NO_KERNEL : 0) |
		     (attr->exclude_hv ? LIBPFM_NO_HV : 0) |
		     (machine && attr->exclude_host ? LIBPFM_NO_HOST : 0) |
		     (machine && attr->exclude_guest ? LIBPFM_NO_GUEST : 0);
}

static void take_pmu(int index, struct libpfm_answer *a)
{
	pfm_event_info_t e = { .size = sizeof(e) };
	pfm_pmu_info_t p = { .size = sizeof(p) };
	if (pfm.event_info(index, PFM_OS_NONE, &e) != PFM_SUCCESS ||
	    pfm.pmu_info(e.pmu, &p) != PFM_SUCCESS)
		return;
	str_copy(a->pmu, sizeof(a->pmu), str_of(p.name));
	a->present = p.is_present;
	a->kind = p.type == PFM_PMU_TYPE_CORE ? LIBPFM_CORE :
		  p.type == PFM_PMU_TYPE_OS_GENERIC ? LIBPFM_KERNEL : LIBPFM_BOX;
	a->counters = p.num_cntrs > 0 && p.num_cntrs < 64 ? (unsigned)p.num_cntrs : 0;
	if (a->counters && p.num_fixed_cntrs > 0 && p.num_fixed_cntrs < 64)
		a->counters += (unsigned)p.num_fixed_cntrs;
}

/*
 * Encode an event of a box that this kernel does not support. a->config1 is set to the value of the
 * box's filter register.
 */
static int encode_register(const char *event, struct libpfm_answer *a)
{
	uint64_t code[4] = { 0 };
	pfm_pmu_encode_arg_t arg = { .codes = (uint64_t *[]){ code }[0], .count = 4,
				     .size = sizeof(arg) };
	int r = pfm.encode(event, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
	if (r != PFM_SUCCESS)
		return r;
	a->config = code[0] & ~BOX_ENABLED;
	a->config1 = (arg.count > 1 ? code[1] : 0) | (arg.count > 2 ? code[2] << 32 : 0);
	take_pmu(arg.idx, a);
	return r;
}

static int encode(const char *event, struct libpfm_answer *a)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int r = pfm.encode(event, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT_EXT, &arg);
	/*
	 * the kernel lacks the box: libpfm4 returns "not supported" up to 4.13, and "not found"
	 * later
	 */
	if (r == PFM_ERR_NOTSUPP || r == PFM_ERR_NOTFOUND) {
		int as_register = encode_register(event, a);
		if (as_register == PFM_SUCCESS || r == PFM_ERR_NOTSUPP)
			return as_register;
	}
	if (r != PFM_SUCCESS && r != PFM_ERR_NOTFOUND)
		snprintf(a->message, sizeof(a->message), "%s", pfm.strerror(r));
	if (r != PFM_SUCCESS)
		return r;
	if (attr.sample_period || attr.precise_ip || attr.pinned || attr.exclusive) {
		snprintf(a->why, sizeof(a->why),
			 "one of its modifiers is for sampling, not for counting");
		return PFM_ERR_ATTR_VAL;
	}
	take_attr(event, &attr, a);
	take_pmu(arg.idx, a);
	return r;
}

int libpfm_try(const char *pmu, const char *event, struct libpfm_answer *a)
{
	char full[2 * LIBPFM_TEXT_MAX];
	snprintf(full, sizeof(full), "%s%s%s", pmu, *pmu ? "::" : "", event);
	int r = encode(full, a);
	/*
	 * "skx_unc_imc" means all boxes of this kind. They have the same encoding, so use the first
	 * box.
	 */
	char *end = strstr(full, "::");
	if (r == PFM_ERR_NOTFOUND && end && strstr(full, "_unc_") < end && strstr(full, "_unc_")) {
		char first[2 * LIBPFM_TEXT_MAX + 1];
		snprintf(first, sizeof(first), "%.*s0%s", (int)(end - full), full, end);
		r = encode(first, a);
		if (r == PFM_SUCCESS)
			a->pmu[strlen(a->pmu) - 1] = '\0';
	}
	return r == PFM_SUCCESS ? 0 : r == PFM_ERR_NOTFOUND ? -ENOENT : -EINVAL;
}

#else

int libpfm_load(const char **why)
{
	*why = "this program was built without libpfm4";
	return -ENOENT;
}

int libpfm_try(const char *pmu, const char *event, struct libpfm_answer *a)
{
	(void)pmu;
	(void)event;
	(void)a;
	return -ENOENT;
}

int libpfm_pmu_at(int i, struct libpfm_pmu *ret)
{
	(void)i;
	(void)ret;
	return -1;
}

bool libpfm_event_at(int index, struct libpfm_event *ret, int *next)
{
	(void)index;
	(void)ret;
	(void)next;
	return false;
}

bool libpfm_attribute_at(const struct libpfm_event *e, int i, struct libpfm_attribute *ret)
{
	(void)e;
	(void)i;
	(void)ret;
	return false;
}
#endif
