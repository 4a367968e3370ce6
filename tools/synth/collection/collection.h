#pragma once
// Publishes a synthetic collection as a new generation of a repository, for `frond synth`. Leaves, `frond bench` and
// `frond-indexer check` read it like any other.
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/repository/manifest.h"
#include "tools/synth/document_model.h"
#include "tools/synth/query_model.h"

namespace frond::tools::synth {

struct SynthOptions {
  CollectionSize size;  // documents: not 0
  std::filesystem::path repository;
  std::string collection;
  std::uint32_t partitions = 1;  // max: the number of documents
  std::size_t queries = 1000;
  codec::CodecChoice codecs;
  unsigned threads = 1;
};

struct SynthSummary {
  repository::Manifest manifest;
  QuerySet queries;
  double seconds = 0;
};

// Partition p starts at document p * documents / partitions, so ordinals, terms, lists and answers do not depend on the
// number of partitions. List bytes do not depend on the number of threads. kUnavailable: another process writes the
// collection, the disk failed, or a stop was requested; kInvalid: the collection's name.
Result<SynthSummary> synthesize(const SynthOptions& options, std::stop_token stop);

// The queries in the format that `frond bench query` and `frond load` read, one per line: "<number>:<terms>"; of
// impacts
// "<number>:<term>^<weight> …", which only the former reads.
std::string query_lines(const QuerySet& queries);

}  // namespace frond::tools::synth
