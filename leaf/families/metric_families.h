#pragma once
// Every metric of frond-leaf.
#include <functional>
#include <utility>

#include "common/metrics/registry.h"

namespace frond::leaf::families {

// Exports what is counted elsewhere: before each scrape `now` is called, which returns a struct of counts, and a metric
// is set to what `of` reads of it, a member or a function. All that they use outlives the registry's last exposition.
template <class Now>
class Export {
 public:
  Export(metrics::Registry& registry, Now now) : registry_(registry), now_(std::move(now)) {}
  template <class Of>
  void gauge(const metrics::Family& family, Of of, const metrics::Labels& labels = {}) const {
    registry_.before_scrape([gauge = registry_.gauge(family, labels), now = now_, of]() mutable {
      gauge.set(static_cast<double>(std::invoke(of, now())));
    });
  }
  template <class Of>
  void counter(const metrics::Family& family, Of of, const metrics::Labels& labels = {}) const {
    registry_.before_scrape([counter = registry_.following_counter(family, labels), now = now_, of]() mutable {
      counter.follow(std::invoke(of, now()));
    });
  }

 private:
  metrics::Registry& registry_;
  const Now now_;
};

// Queue and workers. Label pool: usual; costly (work that costs many times the usual and has its own threads).
inline constexpr metrics::Family kQueueTasks{"frond_leaf_queue_tasks", "Tasks that wait for a worker."};
inline constexpr metrics::Family kQueueLimit{"frond_leaf_queue_limit_tasks", "Tasks that may wait at most."};
inline constexpr metrics::Family kQueueWait{"frond_leaf_queue_wait_seconds", "Time tasks waited for a worker."};
inline constexpr metrics::Family kTasksRefused{"frond_leaf_tasks_refused_total",
                                               "Tasks refused because the queue was full."};
inline constexpr metrics::Family kTasksExpired{"frond_leaf_tasks_expired_total",
                                               "Tasks dropped before they started, past their deadline."};
inline constexpr metrics::Family kWorkers{"frond_leaf_workers", "Worker threads."};

// Requests. Label kind: search, fetch, hello, malformed; engine: the engine's name; reason: as in coverage.degraded.
inline constexpr metrics::Family kRequests{"frond_leaf_requests_total", "Requests taken from the socket, by kind."};
inline constexpr metrics::Family kRequestsCancelled{
    "frond_leaf_requests_cancelled_total", "Requests that their broker gave up before they were answered, by kind."};
inline constexpr metrics::Family kRequestTime{"frond_leaf_request_duration_seconds",
                                              "From a request's arrival to its reply, by kind."};
inline constexpr metrics::Family kSearchTime{"frond_leaf_engine_duration_seconds",
                                             "Evaluation of one query on one partition, by engine."};
inline constexpr metrics::Family kListTime{
    "frond_leaf_list_fetch_duration_seconds",
    "Fetching posting lists of one query in one partition from the cache or the disk; 0 where all are known."};
inline constexpr metrics::Family kPostings{"frond_leaf_postings_decoded_total", "Postings decoded by the engines."};
inline constexpr metrics::Family kUnsearched{"frond_leaf_unsearched_partitions_total",
                                             "Partitions that a search asked for and did not get, by reason."};
inline constexpr metrics::Family kInFlight{"frond_leaf_requests_in_flight", "Requests taken and not answered yet."};
inline constexpr metrics::Family kRepliesLost{"frond_leaf_replies_dropped_total",
                                              "Replies that no broker took: it was gone, or too slow."};

// Connections of brokers. Label outcome: ready (the handshake is done); of those that ended or were refused: closed (by
// the peer), full, address (--max-peers, --max-peers-by-address), gave_way (to a new one), handshake (invalid, or none
// in time), protocol, unused (no valid request), silent (no heartbeat), stalled (replies not read), memory.
inline constexpr metrics::Family kPeers{"frond_leaf_peers", "Connections to --listen."};
inline constexpr metrics::Family kMaxPeers{"frond_leaf_peers_limit", "The most connections that are accepted."};
inline constexpr metrics::Family kPeerConnections{"frond_leaf_peer_connections_total",
                                                  "Connections to --listen, by what became of them."};

// CURVE; all 0 without it. Label result: accepted; refused (the key is not in the list); failed (the peer has no CURVE
// or another leaf's key).
inline constexpr metrics::Family kHandshakes{"frond_leaf_curve_handshakes_total", "Handshakes of brokers, by result."};
inline constexpr metrics::Family kRequestsRevoked{"frond_leaf_curve_requests_refused_total",
                                                  "Requests of connections whose key has left the list since."};
inline constexpr metrics::Family kCurveClients{"frond_leaf_curve_clients", "Public keys that are let in."};
inline constexpr metrics::Family kCurveClientsStale{
    "frond_leaf_curve_clients_stale", "1 while the list of keys can't be used: the keys before are in force."};

// Generations.
inline constexpr metrics::Family kGeneration{"frond_leaf_generation", "The newest generation served; 0 for none."};
inline constexpr metrics::Family kGenerationsServed{"frond_leaf_generations_served",
                                                    "Generations that can be searched now."};
inline constexpr metrics::Family kSupersededAge{"frond_leaf_superseded_seconds",
                                                "Since when a superseded generation is kept for brokers; 0: none is."};
inline constexpr metrics::Family kBrokers{"frond_leaf_brokers",
                                          "Brokers that say hello to this leaf; a broker's threads count one by one."};
inline constexpr metrics::Family kRepositoryFailures{"frond_leaf_repository_failures_total",
                                                     "Looks at CURRENT in the repository that failed."};
inline constexpr metrics::Family kGenerationRefused{"frond_leaf_generation_refused_total",
                                                    "Attempts to take a new generation that failed."};
inline constexpr metrics::Family kAnnouncements{"frond_leaf_announcements_total",
                                                "Changes of CURRENT that the repository told of, before a poll."};
inline constexpr metrics::Family kGenerationLoad{"frond_leaf_generation_load_duration_seconds",
                                                 "Fetching, verifying, ingesting and opening a generation."};
inline constexpr metrics::Family kDamaged{"frond_leaf_partitions_damaged",
                                          "Partitions of the newest generation whose files can't be read any more."};
inline constexpr metrics::Family kMended{
    "frond_leaf_generation_mended_total",
    "Times that files which the disk had spoilt were fetched anew, or read again."};
inline constexpr metrics::Family kFetchedBytes{"frond_leaf_fetched_bytes_total",
                                               "Bytes of files fetched from the repository."};
inline constexpr metrics::Family kObjectRequests{"frond_leaf_object_requests_total",
                                                 "Requests to the object store, by kind and outcome."};
inline constexpr metrics::Family kObjectSeconds{"frond_leaf_object_request_seconds_total",
                                                "Seconds that they took, by kind."};
inline constexpr metrics::Family kObjectBytes{"frond_leaf_object_bytes_total", "Bytes of bodies, sent and received."};
inline constexpr metrics::Family kObjectRetries{"frond_leaf_object_retries_total",
                                                "Requests to the object store that were repeated."};
inline constexpr metrics::Family kTransfersBroken{"frond_leaf_transfers_broken_total",
                                                  "Transfers from the repository that ended before their file did."};
inline constexpr metrics::Family kTransfersSlow{
    "frond_leaf_transfers_slow_total", "Of these: because the server sent nothing, or less than --fetch-min-rate."};
inline constexpr metrics::Family kTransfersResumed{"frond_leaf_transfers_resumed_total",
                                                   "Transfers that went on where one before them had ended."};
inline constexpr metrics::Family kDiskFree{"frond_leaf_disk_free_bytes", "Free space of the file system of --data."};
inline constexpr metrics::Family kPartitions{"frond_leaf_partitions",
                                             "Partitions of the newest generation on this leaf."};
inline constexpr metrics::Family kDocuments{"frond_leaf_documents", "Documents of the newest generation on this leaf."};
inline constexpr metrics::Family kLoopAge{"frond_leaf_loop_age_seconds",
                                          "How long ago each loop that the leaf cannot do without last turned."};
inline constexpr metrics::Family kReady{"frond_leaf_ready", "1 while the leaf takes searches."};

// Host list cache.
inline constexpr metrics::Family kHostCacheBytes{"frond_leaf_host_cache_bytes", "Posting lists held in host memory."};
inline constexpr metrics::Family kHostCacheLimit{"frond_leaf_host_cache_limit_bytes", "Budget of the host list cache."};
inline constexpr metrics::Family kHostCacheHits{"frond_leaf_host_cache_hits_total", "Lists found in the host cache."};
inline constexpr metrics::Family kHostCacheMisses{"frond_leaf_host_cache_misses_total", "Lists read from RocksDB."};

// Cache of blocks of stored fields.
inline constexpr metrics::Family kDocumentCacheBytes{"frond_leaf_document_cache_bytes",
                                                     "Blocks of stored fields held in host memory."};
inline constexpr metrics::Family kDocumentCacheLimit{"frond_leaf_document_cache_limit_bytes",
                                                     "Budget of the cache of stored fields."};
inline constexpr metrics::Family kDocumentCacheHits{"frond_leaf_document_cache_hits_total",
                                                    "Blocks of stored fields found in the cache."};
inline constexpr metrics::Family kDocumentCacheMisses{"frond_leaf_document_cache_misses_total",
                                                      "Blocks of stored fields that were not in the cache."};
inline constexpr metrics::Family kDocumentCacheEvictions{"frond_leaf_document_cache_evictions_total",
                                                         "Blocks of stored fields dropped to make room."};

// Table of terms.
inline constexpr metrics::Family kTermCacheBytes{"frond_leaf_term_cache_bytes", "Memory of the table of terms."};
inline constexpr metrics::Family kTermCacheLimit{"frond_leaf_term_cache_limit_bytes", "Budget of the table of terms."};
inline constexpr metrics::Family kTermCacheHits{"frond_leaf_term_cache_hits_total",
                                                "Terms of searches found in the table."};
inline constexpr metrics::Family kTermCacheMisses{"frond_leaf_term_cache_misses_total",
                                                  "Terms of searches that were not in the table."};
inline constexpr metrics::Family kTermCacheEvictions{"frond_leaf_term_cache_evictions_total",
                                                     "Terms dropped from the table to make room."};

// GPU. Label state: off, absent, ready, lost; 1 for the current state, 0 for the others.
inline constexpr metrics::Family kGpuState{"frond_leaf_gpu_state",
                                           "What the leaf's GPU is: off, absent, ready or lost."};
inline constexpr metrics::Family kGpuCacheBytes{"frond_leaf_gpu_cache_bytes",
                                                "Lists and lengths held in device memory."};
inline constexpr metrics::Family kGpuCacheLimit{"frond_leaf_gpu_cache_limit_bytes",
                                                "Device memory for lists and lengths."};
inline constexpr metrics::Family kGpuCacheHits{"frond_leaf_gpu_cache_hits_total",
                                               "Lists of plans found in device memory."};
inline constexpr metrics::Family kGpuCacheMisses{"frond_leaf_gpu_cache_misses_total",
                                                 "Lists of plans not in device memory."};
inline constexpr metrics::Family kGpuCacheEvictions{"frond_leaf_gpu_cache_evictions_total",
                                                    "Lists dropped from device memory to make room."};
inline constexpr metrics::Family kGpuListsRefused{"frond_leaf_gpu_lists_refused_total",
                                                  "Lists that the device can't take, by reason: damaged, too_large."};
inline constexpr metrics::Family kGpuCopiedBytes{"frond_leaf_gpu_copied_bytes_total", "Bytes copied to device memory."};
inline constexpr metrics::Family kGpuPlainBytes{"frond_leaf_gpu_plain_bytes",
                                                "Plain forms of lists held in device memory."};
inline constexpr metrics::Family kGpuPlainLimit{"frond_leaf_gpu_plain_limit_bytes",
                                                "Device memory for plain forms of lists, of that for lists."};
inline constexpr metrics::Family kGpuPlainMade{"frond_leaf_gpu_plain_made_total", "Plain forms of lists made."};
inline constexpr metrics::Family kGpuPlainUsed{
    "frond_leaf_gpu_plain_used_total", "Lists of plans without ranking that were looked up in their plain forms."};
inline constexpr metrics::Family kGpuBatches{"frond_leaf_gpu_batches_total", "Batches run on the device."};
inline constexpr metrics::Family kGpuBusy{
    "frond_leaf_gpu_busy_seconds_total",
    "Time that the device spent on batches; what several did at a time counts once."};
inline constexpr metrics::Family kGpuPlans{"frond_leaf_gpu_plans_total",
                                           "Queries on one partition that the device ran."};
inline constexpr metrics::Family kGpuFallbacks{"frond_leaf_gpu_fallbacks_total",
                                               "Queries on one partition meant for the GPU that the CPU answered."};
inline constexpr metrics::Family kGpuTies{
    "frond_leaf_gpu_ties_total", "Of these: run on the device, which could not tell thousands of equal scores apart."};
inline constexpr metrics::Family kGpuBatchPlans{"frond_leaf_gpu_batch_plans",
                                                "Plans that a batch for the GPU was made of."};

// Where searches run (leaf/schedule/query_scheduler.h), on a leaf with a GPU.
inline constexpr metrics::Family kScheduleQueries{"frond_leaf_schedule_queries",
                                                  "Searches that wait for a processor, by queue: cpu, gpu, either."};
inline constexpr metrics::Family kScheduleWait{"frond_leaf_schedule_wait_seconds",
                                               "Predicted wait of a new search of average cost, by processor."};
inline constexpr metrics::Family kScheduleTaken{
    "frond_leaf_schedule_taken_total", "Searches that a processor took from the queue `either`, or from the other's."};
inline constexpr metrics::Family kScheduleRefused{
    "frond_leaf_schedule_refused_total",
    "Searches refused before any work: the queues were full, or it would be late."};
inline constexpr metrics::Family kScheduleDropped{"frond_leaf_schedule_dropped_total",
                                                  "Searches dropped while they waited: late, or cancelled."};
inline constexpr metrics::Family kScheduleUrgent{
    "frond_leaf_schedule_urgent_total", "Searches that ran before all others because their deadline was near."};
inline constexpr metrics::Family kScheduleOverrun{
    "frond_leaf_schedule_overrun_total",
    "Searches that the GPU took from the CPU because its workers took longer than predicted."};
inline constexpr metrics::Family kCheckedAnswers{"frond_leaf_checked_answers_total",
                                                 "Answers of the GPU that the CPU evaluated again, to compare them."};
inline constexpr metrics::Family kMismatchedAnswers{
    "frond_leaf_answer_mismatch_total",
    "Of these: answers that differed. The CPU's was sent, and the log has the query."};

}  // namespace frond::leaf::families
