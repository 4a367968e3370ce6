#pragma once
// The last stage of a build: its partitions become a generation, or a part of the current one (BuildOptions::add).
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "indexer/build/build.h"
#include "indexer/publish/term_statistics.h"

namespace frond::indexer {

// What the stages before have made.
struct BuiltIndex {
  std::filesystem::path folder;                        // has the partitions
  Generation next_generation = 0;                      // of the collection, when the build began
  std::vector<std::string> ids;                        // of the partitions
  std::vector<partition::PartitionSummary> summaries;  // of the same
  std::optional<publish::TermsFile> terms;             // if they were written beside the lists
};

// Publishes it; the build's folder keeps its links to the files. Sets what `summary` says of added documents; uses
// summary.inverted. Errors as build().
Result<repository::Manifest> publish_build(const BuildOptions& options, const BuiltIndex& built, BuildSummary& summary,
                                           Logger& logger, const std::stop_token& stop);

}  // namespace frond::indexer
