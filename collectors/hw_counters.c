/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hw_counters - what the driver of each RDMA port counts beyond InfiniBand's counters: RoCE mostly
 *
 * Each driver has names of its own, and a schema has those that the node's ports have. The kernel
 * asks the adapter once for all of a port (lifespan: 10 ms), so that a key costs one read.
 */
#include "collectors/collector.h"

#include "collectors/ib_ports.h"

static const struct metric metrics[] = {
	/* More than one driver's. */
	{ "duplicate_request", COUNTER, "", "requests received twice" },

	/* mlx5: queue counters, 32 bits in the adapter (drivers/infiniband/hw/mlx5/counters.c) */
	{ "rx_write_requests", COUNTER, "", "RDMA writes received", .bits = 32 },
	{ "rx_read_requests", COUNTER, "", "RDMA reads received", .bits = 32 },
	{ "rx_atomic_requests", COUNTER, "", "RDMA atomics received", .bits = 32 },
	{ "rx_dct_connect", COUNTER, "", "connections of DC transport", .bits = 32 },
	{ "out_of_buffer", COUNTER, "", "dropped: nothing posted to receive into", .bits = 32 },
	{ "out_of_sequence", COUNTER, "", "packets received out of sequence", .bits = 32 },
	{ "rnr_nak_retry_err", COUNTER, "", "answers that the receiver was not ready", .bits = 32 },
	{ "packet_seq_err", COUNTER, "", "answers that the sequence was wrong", .bits = 32 },
	{ "implied_nak_seq_err", COUNTER, "", "wrong sequences that an answer implied",
	  .bits = 32 },
	{ "local_ack_timeout_err", COUNTER, "", "acknowledgements that did not come in time",
	  .bits = 32 },
	{ "resp_local_length_error", COUNTER, "", "responder: wrong lengths", .bits = 32 },
	{ "resp_cqe_error", COUNTER, "", "responder: completions with an error", .bits = 32 },
	{ "req_cqe_error", COUNTER, "", "requester: completions with an error", .bits = 32 },
	{ "req_remote_invalid_request", COUNTER, "", "requester: refused as invalid", .bits = 32 },
	{ "req_remote_access_errors", COUNTER, "", "requester: access refused", .bits = 32 },
	{ "resp_remote_access_errors", COUNTER, "", "responder: access refused", .bits = 32 },
	{ "resp_cqe_flush_error", COUNTER, "", "responder: completions flushed", .bits = 32 },
	{ "req_cqe_flush_error", COUNTER, "", "requester: completions flushed", .bits = 32 },
	{ "req_transport_retries_exceeded", COUNTER, "", "requester: gave up, no answer",
	  .bits = 32 },
	{ "req_rnr_retries_exceeded", COUNTER, "", "requester: gave up, never ready", .bits = 32 },
	{ "roce_adp_retrans", COUNTER, "", "adaptive retransmissions", .bits = 32 },
	{ "roce_adp_retrans_to", COUNTER, "", "adaptive retransmissions, time-outs", .bits = 32 },
	{ "roce_slow_restart", COUNTER, "", "slow restarts", .bits = 32 },
	{ "roce_slow_restart_cnps", COUNTER, "", "congestion notices of slow restarts",
	  .bits = 32 },
	{ "roce_slow_restart_trans", COUNTER, "", "transmissions of slow restarts", .bits = 32 },

	/* mlx5: congestion control, 64 bits */
	{ "rp_cnp_ignored", COUNTER, "", "congestion notices ignored" },
	{ "rp_cnp_handled", COUNTER, "", "congestion notices obeyed" },
	{ "np_ecn_marked_roce_packets", COUNTER, "", "packets received with a congestion mark" },
	{ "np_cnp_sent", COUNTER, "", "congestion notices sent" },
	{ "rx_icrc_encapsulated", COUNTER, "", "received with a wrong checksum" },

	/* rxe: drivers/infiniband/sw/rxe/rxe_hw_counters.c */
	{ "sent_pkts", COUNTER, "", "packets sent" },
	{ "rcvd_pkts", COUNTER, "", "packets received" },
	{ "out_of_seq_request", COUNTER, "", "requests out of sequence" },
	{ "rcvd_rnr_err", COUNTER, "", "receiver not ready, received" },
	{ "send_rnr_err", COUNTER, "", "receiver not ready, sent" },
	{ "rcvd_seq_err", COUNTER, "", "wrong sequence, received" },
	{ "ack_deferred", COUNTER, "", "acknowledgements put off" },
	{ "retry_exceeded_err", COUNTER, "", "gave up, no answer" },
	{ "retry_rnr_exceeded_err", COUNTER, "", "gave up, never ready" },
	{ "completer_retry_err", COUNTER, "", "requests tried again" },
	{ "send_err", COUNTER, "", "errors of sending" },
	{ "link_downed", COUNTER, "", "link failures" },
	{ "rdma_sends", COUNTER, "", "RDMA sends" },
	{ "rdma_recvs", COUNTER, "", "RDMA receives" },

	/* mlx4: errors of receive and send queues */
	{ "rq_num_lle", COUNTER, "", "responder: wrong lengths" },
	{ "sq_num_lle", COUNTER, "", "requester: wrong lengths" },
	{ "rq_num_lqpoe", COUNTER, "", "responder: queue pair errors" },
	{ "sq_num_lqpoe", COUNTER, "", "requester: queue pair errors" },
	{ "rq_num_lpe", COUNTER, "", "responder: protection errors" },
	{ "sq_num_lpe", COUNTER, "", "requester: protection errors" },
	{ "rq_num_wrfe", COUNTER, "", "responder: requests flushed" },
	{ "sq_num_wrfe", COUNTER, "", "requester: requests flushed" },
	{ "sq_num_mwbe", COUNTER, "", "memory windows not bound" },
	{ "sq_num_bre", COUNTER, "", "bad responses" },
	{ "rq_num_rire", COUNTER, "", "responder: invalid requests" },
	{ "sq_num_rire", COUNTER, "", "requester: invalid requests" },
	{ "rq_num_rae", COUNTER, "", "responder: access refused" },
	{ "sq_num_rae", COUNTER, "", "requester: access refused" },
	{ "sq_num_roe", COUNTER, "", "remote operation errors" },
	{ "sq_num_tree", COUNTER, "", "gave up, no answer" },
	{ "sq_num_rree", COUNTER, "", "gave up, never ready" },
	{ "rq_num_rnr", COUNTER, "", "receiver not ready, sent" },
	{ "sq_num_rnr", COUNTER, "", "receiver not ready, received" },
	{ "rq_num_dup", COUNTER, "", "requests received twice" },
	{ "rq_num_oos", COUNTER, "", "received out of sequence" },
	{ "sq_num_oos", COUNTER, "", "answers out of sequence" },
	{ "sq_num_to", COUNTER, "", "time-outs" },

	/* efa: Amazon's (efa_verbs.c: EFA_DEFINE_PORT_STATS); bytes and pkts: bnxt_re, too */
	{ "tx_bytes", COUNTER, "B", "sent" },
	{ "tx_pkts", COUNTER, "", "packets sent" },
	{ "rx_bytes", COUNTER, "B", "received" },
	{ "rx_pkts", COUNTER, "", "packets received" },
	{ "rx_drops", COUNTER, "", "packets received, but dropped" },
	{ "send_bytes", COUNTER, "B", "sent by send requests" },
	{ "send_wrs", COUNTER, "", "send requests" },
	{ "recv_bytes", COUNTER, "B", "received by receive requests" },
	{ "recv_wrs", COUNTER, "", "receive requests" },
	{ "rdma_read_wrs", COUNTER, "", "RDMA read requests" },
	{ "rdma_read_bytes", COUNTER, "B", "read by RDMA" },
	{ "rdma_read_wr_err", COUNTER, "", "RDMA reads that failed" },
	{ "rdma_read_resp_bytes", COUNTER, "B", "sent to those who read by RDMA" },
	{ "rdma_write_wrs", COUNTER, "", "RDMA write requests" },
	{ "rdma_write_bytes", COUNTER, "B", "written by RDMA" },
	{ "rdma_write_wr_err", COUNTER, "", "RDMA writes that failed" },
	{ "rdma_write_recv_bytes", COUNTER, "B", "received from those who write by RDMA" },
	{ "retrans_bytes", COUNTER, "B", "sent again" },
	{ "retrans_pkts", COUNTER, "", "packets sent again" },
	{ "retrans_timeout_events", COUNTER, "", "time-outs" },
	{ "unresponsive_remote_events", COUNTER, "", "peers that answered no more" },
	{ "impaired_remote_conn_events", COUNTER, "", "peers that answered badly" },

	/* bnxt_re: Broadcom's (bnxt_re/hw_counters.c), without what its queues' states are */
	{ "tx_roce_only_bytes", COUNTER, "B", "sent by RoCE" },
	{ "tx_roce_only_pkts", COUNTER, "", "packets sent by RoCE" },
	{ "rx_roce_only_bytes", COUNTER, "B", "received by RoCE" },
	{ "rx_roce_only_pkts", COUNTER, "", "packets received by RoCE" },
	{ "rx_roce_good_bytes", COUNTER, "B", "received by RoCE without an error" },
	{ "rx_roce_good_pkts", COUNTER, "", "packets received by RoCE without an error" },
	{ "tx_roce_errors", COUNTER, "", "packets not sent for an error" },
	{ "tx_roce_discards", COUNTER, "", "packets not sent" },
	{ "rx_roce_errors", COUNTER, "", "packets received with an error" },
	{ "rx_roce_discards", COUNTER, "", "packets received, but dropped" },
	{ "rx_out_of_buffer", COUNTER, "", "dropped: nothing posted to receive into" },
	{ "oos_drop_count", COUNTER, "", "dropped: out of sequence" },
	{ "to_retransmits", COUNTER, "", "sent again after a time-out" },
	{ "seq_err_naks_rcvd", COUNTER, "", "answers that the sequence was wrong" },
	{ "rnr_naks_rcvd", COUNTER, "", "answers that the receiver was not ready" },
	{ "max_retry_exceeded", COUNTER, "", "gave up, no answer" },
	{ "missing_resp", COUNTER, "", "answers that are missing" },
	{ "dup_req", COUNTER, "", "requests received twice" },
	{ "tx_cnp_pkts", COUNTER, "", "congestion notices sent" },
	{ "rx_cnp_pkts", COUNTER, "", "congestion notices received" },
	{ "rx_ecn_marked_pkts", COUNTER, "", "packets received with a congestion mark" },

	/* irdma: Intel's E800 */
	{ "ip4InOctets", COUNTER, "B", "received over IPv4" },
	{ "ip4OutOctets", COUNTER, "B", "sent over IPv4" },
	{ "ip6InOctets", COUNTER, "B", "received over IPv6" },
	{ "ip6OutOctets", COUNTER, "B", "sent over IPv6" },
	{ "cnpHandled", COUNTER, "", "congestion notices obeyed" },
	{ "cnpIgnored", COUNTER, "", "congestion notices ignored" },
	{ "cnpSent", COUNTER, "", "congestion notices sent" },
	{ "RxECNMrkd", COUNTER, "", "packets received with a congestion mark" },
};

static const struct port_type type = {
	ANY_ADAPTER, '/', false, { { "hw_counters", NULL, NULL } },
};

const struct collector hw_counters_collector = {
	.name    = "hw_counters",
	.summary = "RDMA adapters' own counters",
	.source  = "/sys/class/infiniband/HCA/ports/PORT/hw_counters",
	.device  = "adapter and port: mlx5_0/1",
	.collect = ib_ports_collect,
	.data    = &type,
	METRICS(metrics),
};
