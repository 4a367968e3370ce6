#pragma once
// Every metric of frond-leaf.
#include <functional>
#include <utility>

#include "common/metrics/registry.h"

namespace frond::leaf::families {

using metrics::Family;

// Exports what is counted elsewhere: before each scrape `now` is called, which returns a struct of counts, and a metric
// is set to what `of` reads of it, a member or a function. All that they use outlives the registry's last exposition.
template <class Now>
class Export {
 public:
  Export(metrics::Registry& registry, Now now) : registry_(registry), now_(std::move(now)) {}
  template <class Of>
  void gauge(const Family& family, Of of, const metrics::Labels& labels = {}) const {
    registry_.before_scrape([gauge = registry_.gauge(family, labels), now = now_, of]() mutable {
      gauge.set(static_cast<double>(std::invoke(of, now())));
    });
  }
  template <class Of>
  void counter(const Family& family, Of of, const metrics::Labels& labels = {}) const {
    registry_.before_scrape([counter = registry_.following_counter(family, labels), now = now_, of]() mutable {
      counter.follow(std::invoke(of, now()));
    });
  }

 private:
  metrics::Registry& registry_;
  const Now now_;
};

// Queue and workers. Label pool: usual; costly (work that costs many times the usual and has its own threads).
constexpr Family kQueueTasks{"frond_leaf_queue_tasks", "Tasks that wait for a worker."};
constexpr Family kQueueClients{"frond_leaf_queue_clients", "Clients of whom searches wait for a worker."};
constexpr Family kQueueLimit{"frond_leaf_queue_limit_tasks", "Tasks that may wait at most."};
constexpr Family kQueueWait{"frond_leaf_queue_wait_seconds", "Time tasks waited for a worker."};
constexpr Family kTasksRefused{"frond_leaf_tasks_refused_total", "Tasks refused because the queue was full."};
constexpr Family kTasksExpired{"frond_leaf_tasks_expired_total",
                               "Tasks dropped before they started, past their deadline."};
constexpr Family kWorkers{"frond_leaf_workers", "Worker threads."};

// Requests. Label kind: search, fetch, hello, malformed; engine: the engine's name; reason: as in coverage.degraded.
constexpr Family kRequests{"frond_leaf_requests_total", "Requests taken from the socket, by kind."};
constexpr Family kRequestsCancelled{"frond_leaf_requests_cancelled_total",
                                    "Requests that their broker gave up before they were answered, by kind."};
constexpr Family kRequestTime{"frond_leaf_request_duration_seconds", "From a request's arrival to its reply, by kind."};
constexpr Family kSearchTime{"frond_leaf_engine_duration_seconds",
                             "Evaluation of one query on one partition, by engine."};
constexpr Family kListTime{
    "frond_leaf_list_fetch_duration_seconds",
    "Fetching posting lists of one query in one partition from the cache or the disk; 0 where all are known."};
constexpr Family kPostings{"frond_leaf_postings_decoded_total", "Postings decoded by the engines."};
constexpr Family kAtOnce{"frond_leaf_searches_at_once_total",
                         "Searches that the thread that had read them evaluated itself."};
constexpr Family kUnsearched{"frond_leaf_unsearched_partitions_total",
                             "Partitions that a search asked for and did not get, by reason."};
constexpr Family kInFlight{"frond_leaf_requests_in_flight", "Requests taken and not answered yet."};
constexpr Family kRepliesLost{"frond_leaf_replies_dropped_total",
                              "Replies that no broker took: it was gone, or too slow."};

// Connections of brokers. Label outcome: ready (the handshake is done); of those that ended or were refused: closed (by
// the peer), full, address (--max-peers, --max-peers-by-address), gave_way (to a new one), handshake (invalid, or none
// in time), protocol, unused (no valid request), silent (no heartbeat), stalled (replies not read), memory.
constexpr Family kPeers{"frond_leaf_peers", "Connections to --listen."};
constexpr Family kMaxPeers{"frond_leaf_peers_limit", "The most connections that are accepted."};
constexpr Family kPeerConnections{"frond_leaf_peer_connections_total",
                                  "Connections to --listen, by what became of them."};

// CURVE; all 0 without it. Label result: accepted; refused (the key is not in the list); failed (the peer has no CURVE
// or another leaf's key).
constexpr Family kHandshakes{"frond_leaf_curve_handshakes_total", "Handshakes of brokers, by result."};
constexpr Family kRequestsRevoked{"frond_leaf_curve_requests_refused_total",
                                  "Requests of connections whose key has left the list since."};
constexpr Family kCurveClients{"frond_leaf_curve_clients", "Public keys that are let in."};
constexpr Family kCurveClientsStale{"frond_leaf_curve_clients_stale",
                                    "1 while the list of keys can't be used: the keys before are in force."};

// Generations.
constexpr Family kGeneration{"frond_leaf_generation", "The newest generation served; 0 for none."};
constexpr Family kGenerationsServed{"frond_leaf_generations_served", "Generations that can be searched now."};
constexpr Family kSupersededAge{"frond_leaf_superseded_seconds",
                                "Since when a superseded generation is kept for brokers; 0: none is."};
constexpr Family kBrokers{"frond_leaf_brokers",
                          "Brokers that say hello to this leaf; a broker's threads count one by one."};
constexpr Family kRepositoryFailures{"frond_leaf_repository_failures_total",
                                     "Looks at CURRENT in the repository that failed."};
constexpr Family kGenerationRefused{"frond_leaf_generation_refused_total",
                                    "Attempts to take a new generation that failed."};
constexpr Family kAnnouncements{"frond_leaf_announcements_total",
                                "Changes of CURRENT that the repository told of, before a poll."};
constexpr Family kGenerationLoad{"frond_leaf_generation_load_duration_seconds",
                                 "Fetching, verifying, ingesting and opening a generation."};
constexpr Family kDamaged{"frond_leaf_partitions_damaged",
                          "Partitions of the newest generation whose files are damaged or can't be read any more."};
constexpr Family kMended{"frond_leaf_generation_mended_total",
                         "Times that files which the disk had spoilt were fetched anew, or read again."};
constexpr Family kScrubbedBytes{"frond_leaf_scrubbed_bytes_total",
                                "Bytes of served files that were read again and compared with their digests."};
constexpr Family kScrubDamaged{"frond_leaf_scrub_damaged_files_total",
                               "Files that this found damaged, once each time that they were read."};
constexpr Family kScrubAge{"frond_leaf_scrub_age_seconds",
                           "How long ago the file was read that was read again least recently."};
constexpr Family kFetchedBytes{"frond_leaf_fetched_bytes_total", "Bytes of files fetched from the repository."};
constexpr Family kObjectRequests{"frond_leaf_object_requests_total",
                                 "Requests to the object store, by kind and outcome."};
constexpr Family kObjectSeconds{"frond_leaf_object_request_seconds_total", "Seconds that they took, by kind."};
constexpr Family kObjectBytes{"frond_leaf_object_bytes_total", "Bytes of bodies, sent and received."};
constexpr Family kObjectRetries{"frond_leaf_object_retries_total", "Requests to the object store that were repeated."};
constexpr Family kTransfersBroken{"frond_leaf_transfers_broken_total",
                                  "Transfers from the repository that ended before their file did."};
constexpr Family kTransfersSlow{"frond_leaf_transfers_slow_total",
                                "Of these: because the server sent nothing, or less than --fetch-min-rate."};
constexpr Family kTransfersResumed{"frond_leaf_transfers_resumed_total",
                                   "Transfers that went on where one before them had ended."};
constexpr Family kDiskFree{"frond_leaf_disk_free_bytes", "Free space of the file system of --data."};
constexpr Family kPartitions{"frond_leaf_partitions", "Partitions of the newest generation on this leaf."};
constexpr Family kDocuments{"frond_leaf_documents", "Documents of the newest generation on this leaf."};
constexpr Family kLoopAge{"frond_leaf_loop_age_seconds",
                          "How long ago each loop that the leaf cannot do without last turned."};
constexpr Family kReady{"frond_leaf_ready", "1 while the leaf takes searches."};

// Host list cache.
constexpr Family kHostCacheBytes{"frond_leaf_host_cache_bytes", "Posting lists held in host memory."};
constexpr Family kHostCacheLimit{"frond_leaf_host_cache_limit_bytes", "Budget of the host list cache."};
constexpr Family kHostCacheHits{"frond_leaf_host_cache_hits_total", "Lists found in the host cache."};
constexpr Family kHostCacheMisses{"frond_leaf_host_cache_misses_total", "Lists read from RocksDB."};

// Cache of blocks of stored fields.
constexpr Family kDocumentCacheBytes{"frond_leaf_document_cache_bytes", "Blocks of stored fields held in host memory."};
constexpr Family kDocumentCacheLimit{"frond_leaf_document_cache_limit_bytes", "Budget of the cache of stored fields."};
constexpr Family kDocumentCacheHits{"frond_leaf_document_cache_hits_total",
                                    "Blocks of stored fields found in the cache."};
constexpr Family kDocumentCacheMisses{"frond_leaf_document_cache_misses_total",
                                      "Blocks of stored fields that were not in the cache."};
constexpr Family kDocumentCacheEvictions{"frond_leaf_document_cache_evictions_total",
                                         "Blocks of stored fields dropped to make room."};

// Table of terms.
constexpr Family kWarmSeconds{"frond_leaf_warm_seconds",
                              "Time that caches were filled before the last new generation was served."};
constexpr Family kWarmBytes{"frond_leaf_warm_bytes", "Lists that were read into caches then."};
constexpr Family kTermCacheBytes{"frond_leaf_term_cache_bytes", "Memory of the table of terms."};
constexpr Family kTermCacheLimit{"frond_leaf_term_cache_limit_bytes", "Budget of the table of terms."};
constexpr Family kTermCacheHits{"frond_leaf_term_cache_hits_total", "Terms of searches found in the table."};
constexpr Family kTermCacheMisses{"frond_leaf_term_cache_misses_total",
                                  "Terms of searches that were not in the table."};
constexpr Family kTermCacheEvictions{"frond_leaf_term_cache_evictions_total",
                                     "Terms dropped from the table to make room."};

// Cache of filters.
constexpr Family kFilterCacheBytes{"frond_leaf_filter_cache_bytes", "Memory of the filters that are kept."};
constexpr Family kFilterCacheLimit{"frond_leaf_filter_cache_limit_bytes", "Budget of the filters that are kept."};
constexpr Family kFilterCacheHits{"frond_leaf_filter_cache_hits_total",
                                  "Filters of partitions that searches found kept."};
constexpr Family kFilterCacheMisses{"frond_leaf_filter_cache_misses_total",
                                    "Filters of partitions that searches evaluated."};
constexpr Family kFilterCacheEvictions{"frond_leaf_filter_cache_evictions_total",
                                       "Filters of partitions dropped to make room."};

// Cache of the numbers of keywords.
constexpr Family kKeywordCacheBytes{"frond_leaf_keyword_cache_bytes", "Memory of the numbers of keywords."};
constexpr Family kKeywordCacheLimit{"frond_leaf_keyword_cache_limit_bytes", "Budget of the numbers of keywords."};
constexpr Family kKeywordCacheHits{"frond_leaf_keyword_cache_hits_total",
                                   "Columns of partitions whose keywords facets found numbered."};
constexpr Family kKeywordCacheMisses{"frond_leaf_keyword_cache_misses_total",
                                     "Columns of partitions whose keywords a facet numbered."};
constexpr Family kKeywordCacheEvictions{"frond_leaf_keyword_cache_evictions_total",
                                        "Columns of partitions whose numbers were dropped to make room."};

// GPUs. Label device: the number of each. Label state: off, absent, ready, lost; 1 for the current state, 0 for the
// others.
constexpr Family kGpuState{"frond_leaf_gpu_state",
                           "What a GPU of the leaf is: ready or lost; off or absent where it has none."};
constexpr Family kGpuPartitions{"frond_leaf_gpu_partitions", "Partitions whose home the device is."};
constexpr Family kGpuShares{"frond_leaf_gpu_shares_total",
                            "Of a leaf with several GPUs: shares of batches that the device was given."};
constexpr Family kGpuSharesStolen{"frond_leaf_gpu_shares_stolen_total",
                                  "Of these: taken from another device, for which they would have waited."};
constexpr Family kGpuSharesWaiting{"frond_leaf_gpu_shares_waiting", "Shares of batches that wait for the device."};
constexpr Family kGpuCacheBytes{"frond_leaf_gpu_cache_bytes", "Lists and lengths held in device memory."};
constexpr Family kGpuCacheLimit{"frond_leaf_gpu_cache_limit_bytes", "Device memory for lists and lengths."};
constexpr Family kGpuCacheHits{"frond_leaf_gpu_cache_hits_total", "Lists of plans found in device memory."};
constexpr Family kGpuCacheMisses{"frond_leaf_gpu_cache_misses_total", "Lists of plans not in device memory."};
constexpr Family kGpuCacheEvictions{"frond_leaf_gpu_cache_evictions_total",
                                    "Lists dropped from device memory to make room."};
constexpr Family kGpuListsRefused{"frond_leaf_gpu_lists_refused_total",
                                  "Lists that the device can't take, by reason: damaged, too_large."};
constexpr Family kGpuCopiedBytes{"frond_leaf_gpu_copied_bytes_total", "Bytes copied to device memory."};
constexpr Family kGpuBatches{"frond_leaf_gpu_batches_total", "Batches run on the device."};
constexpr Family kGpuBusy{"frond_leaf_gpu_busy_seconds_total",
                          "Time that the device spent on batches; what several did at a time counts once."};
constexpr Family kGpuPlans{"frond_leaf_gpu_plans_total", "Queries on one partition that the device ran."};
constexpr Family kGpuFallbacks{"frond_leaf_gpu_fallbacks_total",
                               "Queries on one partition meant for the GPU that the CPU answered."};
constexpr Family kGpuTies{"frond_leaf_gpu_ties_total",
                          "Of these: run on the device, which could not tell thousands of equal scores apart."};
constexpr Family kGpuBatchPlans{"frond_leaf_gpu_batch_plans", "Plans that a batch for the GPU was made of."};

// Where searches run (leaf/schedule/query_scheduler.h), on a leaf with a GPU.
constexpr Family kScheduleQueries{"frond_leaf_schedule_queries",
                                  "Searches that wait for a processor, by queue: cpu, gpu, either."};
constexpr Family kScheduleWait{"frond_leaf_schedule_wait_seconds",
                               "Predicted wait of a new search of average cost, by processor."};
constexpr Family kScheduleTaken{"frond_leaf_schedule_taken_total",
                                "Searches that a processor took from the queue `either`, or from the other's."};
constexpr Family kScheduleRefused{"frond_leaf_schedule_refused_total",
                                  "Searches refused before any work: the queues were full, or it would be late."};
constexpr Family kScheduleDropped{"frond_leaf_schedule_dropped_total",
                                  "Searches dropped while they waited: late, or cancelled."};
constexpr Family kScheduleUrgent{"frond_leaf_schedule_urgent_total",
                                 "Searches that ran before all others because their deadline was near."};
constexpr Family kScheduleOverrun{
    "frond_leaf_schedule_overrun_total",
    "Searches that the GPU took from the CPU because its workers took longer than predicted."};
constexpr Family kCheckedAnswers{"frond_leaf_checked_answers_total",
                                 "Answers of the GPU that the CPU evaluated again, to compare them."};
constexpr Family kMismatchedAnswers{"frond_leaf_answer_mismatch_total",
                                    "Of these: answers that differed. The CPU's was sent, and the log has the query."};

}  // namespace frond::leaf::families
