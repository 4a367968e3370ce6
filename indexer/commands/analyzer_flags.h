#pragma once
// Flags of commands that make a collection: how text becomes terms, and how lists are coded, ordered and scored.
#include <string>

#include "common/base/result.h"
#include "common/config/command_line.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"
#include "indexer/build/build.h"

namespace frond::indexer {

struct AnalyzerFlags {
  explicit AnalyzerFlags(text::AnalyzerKind usual) : analyzer(name_of(usual)) {}
  // `what`: what is analyzed this way, for --help.
  void add(config::CommandLine& command, const std::string& what);
  // kInvalid: they do not go together, or the file of stop words cannot be used.
  Result<text::AnalyzerConfig> made() const;

  std::string analyzer, stemmer = "porter", stop_words = "auto";
  bool fold_accents = false, split_case = false;
};

// --k1 and --b.
void add_bm25_flags(config::CommandLine& command, scoring::Bm25Parameters& bm25);
// Sets what these flags name. kInvalid: there is no such codec or order.
Result<void> take_codec_and_order(const std::string& codec, const std::string& order, BuildOptions& options);

}  // namespace frond::indexer
