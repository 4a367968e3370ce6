#pragma once
// A whole build: makes a new generation of a collection, which replaces the current one, from inputs.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/repository/manifest.h"
#include "common/repository/repository.h"
#include "common/schema/schema.h"
#include "indexer/build/collection_kind.h"
#include "indexer/change/waiting.h"
#include "indexer/order/document_order.h"
#include "indexer/pipeline/invert_documents.h"

namespace frond::indexer {

struct BuildOptions : change::ChangeOptions {
  pipeline::InvertOptions invert;  // includes the memory plan
  codec::CodecChoice codecs = *codec::codec_named(codec::kDefaultCodec);
  partition::StoredCompression stored = partition::StoredCompression::kSmall;
  order::DocumentOrder order = order::DocumentOrder::kInput;
  order::BisectElsewhere gpu_bisect = {};  // on a GPU, where that is the order; empty: on this machine's cores
  bool reckons_with_gpu = false;           // order kAuto chooses bisection with the GPU's time in mind
  scoring::Bm25Parameters bm25;
  // What documents have beside their texts (StoredDocument::values), and is published with them; null: nothing.
  std::shared_ptr<const schema::Schema> schema = nullptr;
  void take(CollectionKind kind) {
    invert.analyzer = std::move(kind.analyzer);
    codecs = std::move(kind.codecs);
    stored = kind.stored;
    bm25 = kind.bm25;
    take_schema(std::move(kind.schema));
  }
  void take_schema(std::shared_ptr<const schema::Schema> of) {
    invert.parse.schema = schema = std::move(of);
    if (schema != nullptr && schema->scorer == schema::Scorer::kImpact) bm25 = scoring::kImpacts;
  }
  // Publish the documents with those that the collection has, as add() does; `beside`: its statistics, which the bounds
  // of lists are best for. Bounds hold for others too.
  bool add = false;
  scoring::CollectionStatistics beside{};
  std::vector<std::string> removed_ids = {};  // with `add`: of documents that go; none of them is in the inputs
  // That the inputs must have: kInvalid, and nothing is published, if they give another number. Empty: any.
  std::optional<std::uint64_t> documents = {};
  bool may_be_empty = false;  // publish a generation without documents instead of giving kInvalid
  std::uint32_t threads =
      1;  // of the machine: bounds the partitions written at once, and the threads that order documents
  // A build of the same options and inputs that was killed is gone on with, and this one can be.
  bool resume = true;
  // How much is lost: a build can be gone on with at every so many bytes of input, decompressed. One of a smaller input
  // begins anew, and takes no time for this.
  std::uint64_t checkpoint_bytes = kUsualCheckpointBytes;
  static constexpr std::uint64_t kUsualCheckpointBytes = std::uint64_t{4} << 30;
  // What takes about as long to index: 20 s at 3 GB/s.
  static constexpr std::uint64_t kUsualCheckpointBytesOfGpuTexts = std::uint64_t{64} << 30;
  // By cores, at 50 MB/s each: 20 s, since runs are written anyway where memory is short; up to 80 s where the postings
  // of that much text stay in memory, about a fifth of it, which may be a quarter of `memory_limit`
  // (docs/adr/0060-terms-are-ordered-by-ranges.md).
  static constexpr std::uint64_t usual_checkpoint_bytes(std::uint32_t cores, std::uint64_t memory_limit) {
    constexpr std::uint64_t kOfACore = std::uint64_t{1} << 30, kMost = 16 * kOfACore;
    const std::uint64_t by_cores = std::clamp(kOfACore * cores, kUsualCheckpointBytes, kMost);
    return std::clamp(memory_limit, by_cores, 4 * by_cores);
  }
};
// By flag, the options that decide what is published.
std::vector<std::pair<std::string, std::string>> deciding_options(const BuildOptions& options);

// Written by the build, read by any thread.
struct BuildProgress {
  enum class Stage { kInvert, kOrder, kWrite, kPublish, kDone };
  std::atomic<Stage> stage = Stage::kInvert;
  pipeline::InvertProgress invert;
  std::atomic<std::uint64_t> documents_written = 0;
};

struct BuildSummary {
  pipeline::InvertedDocuments inverted;
  repository::Manifest manifest;
  double merge_seconds = 0;               // processor time of merging runs, part of what writing takes
  std::uint64_t added = 0, replaced = 0;  // documents; of add() only
  double invert_seconds = 0, order_seconds = 0, write_seconds = 0, publish_seconds = 0, total_seconds = 0;
};

// The first half of a build: writes runs and spools, for so many partitions, into a folder that exists.
using InvertStage =
    std::function<Result<pipeline::InvertedDocuments>(const std::filesystem::path& folder, std::uint32_t partitions)>;
// A build whose first half is `invert`, wherever its postings come from. Of options.invert, it uses the analyzer, the
// inputs, the number of partitions and the memory plan. It never goes on with a killed build. Errors as build().
Result<BuildSummary> build_from(const InvertStage& invert, BuildOptions options, BuildProgress& progress,
                                Logger& logger, std::stop_token stop);

// Publishes a generation, or leaves what is published as it is. Several builds of a collection may run at once: each
// publishes a generation when it is done. kInvalid: wrong inputs or options, too many bad records, or no document;
// kUnavailable: another writer holds the collection for long, the disk, or stopped. After kUnavailable, and after the
// death of the process, the next build of the same options and inputs goes on from the last checkpoint, if there is
// one.
Result<BuildSummary> build(const BuildOptions& options, BuildProgress& progress, Logger& logger, std::stop_token stop);

// Publishes the current generation with the documents of the input as further partitions; those that have their ids are
// replaced. The analyzer, codecs, compression of stored fields and BM25 parameters are the collection's; those of
// `options` are ignored. A schema of `options` may add fields to the collection's: kInvalid, if it changes one, or the
// collection has none. kNotFound: there is no generation yet. Other errors as build().
Result<BuildSummary> add(BuildOptions options, BuildProgress& progress, Logger& logger, std::stop_token stop);

// Builds options.invert.read.share as one partition into its share_repository(), for publish_shares(); replaces an
// older one when it is complete. Ignores options.invert.partitions. A share may be empty. Errors as build().
Result<BuildSummary> build_share(BuildOptions options, BuildProgress& progress, Logger& logger, std::stop_token stop);

}  // namespace frond::indexer
