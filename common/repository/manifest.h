#pragma once
// A generation's manifest: the consistent set of partitions that a broker serves, with collection-wide statistics.
// Format: docs/formats/manifest.md (JSON with a checksum over its canonical form).
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/placement.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"

namespace frond::repository {

using partition::PartitionFile;

struct PartitionEntry {
  std::string id;  // names the folder partitions/<id>, unique for ever: "g<generation>-p<number>-<random hex>"
  Ordinal base = 0;
  std::uint64_t stride = 1;
  partition::PartitionSummary summary;  // with its files
  Placement placement() const { return {base, stride, summary.documents}; }
};

// The files that a generation was built from, by name and size only.
struct InputFiles {
  std::uint64_t files = 0, bytes = 0;
  std::string xxh3;  // of all names and sizes, 32 hex digits; empty: not recorded
  friend bool operator==(const InputFiles&, const InputFiles&) = default;
};

struct Manifest {
  Generation generation = 0;
  ContentId content = 0;    // of one that was read: the first 16 digits of its checksum, whose 0 counts as 1
  Generation previous = 0;  // current when this one was published: what a rollback goes back to; 0: none
  std::string collection;
  std::string created;  // RFC 3339, UTC
  std::string codec;
  std::string order;  // of the documents, as --order names it; empty: built before it was recorded
  InputFiles input;
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  scoring::CollectionStatistics statistics;  // global: N and tokens
  std::uint64_t terms = 0, postings = 0;
  // Global document frequencies: an SST of term -> varint df, next to the manifest: generations/<n>.terms.sst.
  PartitionFile term_statistics;
  std::vector<PartitionEntry> partitions;  // partition number = place here
};

// [A-Za-z0-9._-]+, at most 128 bytes, not beginning with a dot: can't leave the folder it is in.
bool is_safe_name(std::string_view name);

inline constexpr std::size_t kMaxManifestBytes = 16u << 20;  // some 50,000 files

std::string to_json(const Manifest& manifest);
// kCorrupt names the member. Any bytes are survived, any depth of nesting too. Partition ids and file names are safe as
// names of files (is_safe_name); sums agree; each partition is there once; ordinals are below 2^62.
Result<Manifest> manifest_from_json(std::string_view json);

}  // namespace frond::repository
