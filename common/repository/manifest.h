#pragma once
// A generation's manifest: the consistent set of partitions that a broker serves, with collection-wide statistics.
// Format: docs/formats/manifest.md (JSON with a checksum over its canonical form).
#include <cstdint>
#include <map>
#include <optional>
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

// Documents of a partition that the generation does not have any more, and what they take from its statistics.
struct HiddenCounts {
  std::uint64_t documents = 0, tokens = 0, postings = 0;
  partition::FieldTokens field_tokens = {};  // of a collection with a schema
  friend bool operator==(const HiddenCounts&, const HiddenCounts&) = default;
};

struct PartitionEntry {
  std::string id;  // its folder is partitions/<id>; never used twice: "g<generation>-p<number>-<random hex>"
  Ordinal base = 0;
  std::uint64_t stride = 1;
  partition::PartitionSummary summary;  // with its files
  HiddenCounts hidden{};                // of these; which documents they are is in the manifest's `changes`
  Placement placement() const { return {base, stride, summary.documents}; }
};

// The files that a generation was built from, by name and size only.
struct InputFiles {
  std::uint64_t files = 0, bytes = 0;
  std::string xxh3;  // of all names and sizes, 32 hex digits; empty: not recorded
  friend bool operator==(const InputFiles&, const InputFiles&) = default;
};

// Who vouches for a manifest, and for the content of every file that it names (signature.h): XXH3-128, which the rest
// of the manifest has, tells of accidents only.
struct Signature {
  std::string key;                            // its id, 16 hex digits
  std::string bytes;                          // Ed25519, 64 of them
  std::map<std::string, std::string> sha256;  // 64 hex digits, by the file's path in the collection
  std::string text;                           // what is signed; set when the manifest is read
};

struct Manifest {
  Generation generation = 0;
  ContentId content = 0;    // if read: the first 16 hex digits of its checksum, with 0 replaced by 1
  Generation previous = 0;  // was current when this one was published; a rollback returns to it; 0: none
  std::string collection;
  std::string created;  // RFC 3339, UTC
  std::string codec;
  partition::StoredCompression stored = partition::StoredCompression::kSmall;  // of what is added and merged
  std::string order;  // of the documents, as in --order; empty: built before it was recorded
  InputFiles input;
  // The last change of the collection's log (indexer/write) that is in this generation, and in those before it; 0:
  // none.
  std::uint64_t log_sequence = 0;
  std::string log_id;  // of the log that it is a number of; empty: not recorded
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  scoring::CollectionStatistics statistics;  // global: N and tokens
  // Of a collection with a schema (common/schema), as schema_text() writes it, and by place in it the tokens that all
  // documents have in each text field with field_search, for average lengths; both empty: it has none.
  std::string schema;
  partition::FieldTokens field_tokens;
  std::uint64_t terms = 0, postings = 0;
  // Global document frequencies: an SST of term -> varint df, next to the manifest: generations/<n>.terms.sst. Of this
  // generation or, if it was made by changing another, of an earlier one.
  PartitionFile term_statistics;
  // What was changed since (common/partition/terms/change_file.h), oldest first: generations/<n>.changes.sst.
  std::vector<PartitionFile> changes;
  std::vector<PartitionEntry> partitions;  // a partition's number is its index here
  std::optional<Signature> signature;
};

// [A-Za-z0-9._-]+, at most 128 bytes, not beginning with a dot: as a file's name it stays in its folder.
bool is_safe_name(std::string_view name);

inline constexpr std::size_t kMaxChanges = 64;               // files of changes of one generation
inline constexpr std::size_t kMaxManifestBytes = 16u << 20;  // some 50,000 files

std::string to_json(const Manifest& manifest);
// What a signature is of: digests of the manifest without it, and of Signature::sha256.
// REQUIRES: there is a signature, which may have no bytes yet.
std::string text_to_sign(const Manifest& manifest);
// Any bytes are safe, at any depth of nesting. kCorrupt names the member that is wrong. In what is returned, partition
// ids and file names are safe names, sums agree, each partition is there once, and ordinals are below 2^62.
Result<Manifest> manifest_from_json(std::string_view json);

}  // namespace frond::repository
