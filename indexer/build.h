#pragma once
// A whole build: inputs to a new generation of a collection, which replaces the one before.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/repository/manifest.h"
#include "indexer/order/document_order.h"
#include "indexer/pipeline/invert_documents.h"

namespace frond::indexer {

struct BuildOptions {
  std::filesystem::path repository;
  std::string collection;
  pipeline::InvertOptions invert;  // its memory plan too
  codec::CodecChoice codecs = *codec::codec_named(codec::kDefaultCodec);
  order::DocumentOrder order = order::DocumentOrder::kInput;
  scoring::Bm25Parameters bm25;
  std::uint64_t disk_reserve = 0;  // bytes of the repository's disk that have to stay free
  bool may_be_empty = false;       // a generation without a document is published, instead of kInvalid
  std::uint32_t threads = 1;  // of the machine: bounds how many partitions are written at once, and work on the order
};

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
  double invert_seconds = 0, order_seconds = 0, write_seconds = 0, publish_seconds = 0, total_seconds = 0;
};

// Either publishes a generation, or leaves the repository as it was. kInvalid: inputs, options, too many bad records,
// no document at all; kUnavailable: another build holds the collection, the disk, or stopped.
Result<BuildSummary> build(const BuildOptions& options, BuildProgress& progress, Logger& logger, std::stop_token stop);

// Builds options.invert.read.share as one partition into its share_repository(), where publish_shares() finds it; one
// that was there is replaced when this one is whole. options.invert.partitions is not looked at; a share may be empty.
// Errors as build().
Result<BuildSummary> build_share(BuildOptions options, BuildProgress& progress, Logger& logger, std::stop_token stop);

}  // namespace frond::indexer
