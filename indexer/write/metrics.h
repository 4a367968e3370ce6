#pragma once
// Metrics of the indexer service's writing, over all its collections.
#include "common/metrics/registry.h"

namespace frond::indexer::write {

namespace families {
using metrics::Family;
inline constexpr Family kAccepted{"frond_indexer_accepted_changes_total",
                                  "Documents and removals that were accepted over HTTP, and synced to the log."};
inline constexpr Family kPending{"frond_indexer_pending_changes", "Accepted changes that are not published yet."};
inline constexpr Family kPendingBytes{"frond_indexer_pending_bytes", "Bytes of these, over all collections."};
inline constexpr Family kPendingSeconds{"frond_indexer_pending_seconds",
                                        "For how long the oldest of these has waited, as seen at each scrape."};
inline constexpr Family kPublications{"frond_indexer_publications_total",
                                      "Publications of accepted changes, by outcome: ok, or failed (tried again)."};
inline constexpr Family kPublishSeconds{
    "frond_indexer_publish_seconds", "Seconds from reading accepted changes out of the log to their new generation."};
inline constexpr Family kCompactions{"frond_indexer_compactions_total",
                                     "Background compactions that had something to merge, by outcome: ok or failed."};
inline constexpr Family kLeases{"frond_indexer_lease_events_total",
                                "Leases of collections in an object store, by event: taken, renewed, failed (a "
                                "renewal, tried again), lost (another "
                                "service took the collection over, or it was removed)."};
inline constexpr Family kSetAside{
    "frond_indexer_set_aside_changes_total",
    "Accepted changes that were put into a file instead of being published, since another service has written or "
    "removed the collection."};
inline constexpr Family kNotIndexed{"frond_indexer_not_indexed_documents",
                                    "Accepted documents that can't be indexed. They are in files not-indexed.jsonl "
                                    "until somebody removes these."};
inline constexpr Family kCollections{"frond_indexer_written_collections",
                                     "Collections by state: writing, standby (another service writes them), or "
                                     "refused (what is stored of them is damaged)."};
}  // namespace families

// Handles for all collections; copyable.
struct WriteMetrics {
  WriteMetrics() = default;
  explicit WriteMetrics(metrics::Registry& registry);
  metrics::Counter accepted, published, failed, compacted, compactions_failed;
  metrics::Counter lease_taken, lease_renewed, lease_failed, lease_lost, set_aside;
  metrics::Histogram publish_seconds;
  metrics::Gauge pending, pending_bytes, pending_seconds, not_indexed, writing, standby, refused;
};

}  // namespace frond::indexer::write
