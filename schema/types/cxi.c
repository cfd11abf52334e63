/* SPDX-License-Identifier: BSD-3-Clause */
/* cxi.c - type cxi: Slingshot adapters */
#include "schema/type.h"

/*
 * Each telemetry file contains "VALUE@SECONDS.NANOSECONDS". An adapter has about 1,900 such files;
 * only those about its link are read.
 */
#define TELEMETRY "device/telemetry/"
static const struct metric metrics[] = {
	{ "hni_sts_rx_ok_octets", COUNTER, "B", "received",
	  TELEMETRY "hni_sts_rx_ok_octets" },
	{ "hni_sts_tx_ok_octets", COUNTER, "B", "sent",
	  TELEMETRY "hni_sts_tx_ok_octets" },
	{ "hni_sts_rx_bad_octets", COUNTER, "B", "received in bad frames",
	  TELEMETRY "hni_sts_rx_bad_octets" },
	{ "hni_sts_tx_bad_octets", COUNTER, "B", "sent in bad frames",
	  TELEMETRY "hni_sts_tx_bad_octets" },
	{ "hni_sts_rx_octets_ieee", COUNTER, "B", "received in Ethernet frames",
	  TELEMETRY "hni_sts_rx_octets_ieee" },
	{ "hni_sts_tx_octets_ieee", COUNTER, "B", "sent in Ethernet frames",
	  TELEMETRY "hni_sts_tx_octets_ieee" },
	{ "hni_sts_rx_octets_opt", COUNTER, "B", "received in frames of Slingshot's own kind",
	  TELEMETRY "hni_sts_rx_octets_opt" },
	{ "hni_sts_tx_octets_opt", COUNTER, "B", "sent in such frames",
	  TELEMETRY "hni_sts_tx_octets_opt" },
	{ "hni_sts_rx_octets_multi", COUNTER, "B", "received in multicast frames",
	  TELEMETRY "hni_sts_rx_octets_multi" },
	{ "hni_sts_tx_octets_multi", COUNTER, "B", "sent in multicast frames",
	  TELEMETRY "hni_sts_tx_octets_multi" },
	{ "hni_sts_rx_octets_bcast", COUNTER, "B", "received in broadcast frames",
	  TELEMETRY "hni_sts_rx_octets_bcast" },
	{ "hni_sts_tx_octets_bcast", COUNTER, "B", "sent in broadcast frames",
	  TELEMETRY "hni_sts_tx_octets_bcast" },
	{ "hni_pcs_good_cw", COUNTER, "", "code words received without an error",
	  TELEMETRY "hni_pcs_good_cw" },
	{ "hni_pcs_corrected_cw", COUNTER, "", "code words that were corrected",
	  TELEMETRY "hni_pcs_corrected_cw" },
	{ "hni_pcs_uncorrected_cw", COUNTER, "", "code words that could not be",
	  TELEMETRY "hni_pcs_uncorrected_cw" },
	{ "hni_llr_rx_replay_event", COUNTER, "", "times the other end sent frames again",
	  TELEMETRY "hni_llr_rx_replay_event" },
	{ "hni_llr_tx_replay_event", COUNTER, "", "times this end sent frames again",
	  TELEMETRY "hni_llr_tx_replay_event" },
};

const struct type cxi_type = {
	.name    = "cxi",
	.about   = "Slingshot adapters",
	.source  = "/sys/class/cxi/cxiN/KEY",
	.device  = "adapter: cxi0",
	METRICS(metrics),
};
