#pragma once
// The flags that say how text becomes terms: of commands that make a collection.
#include <string>

#include "common/base/result.h"
#include "common/config/command_line.h"
#include "common/text/analyzer_config.h"

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

}  // namespace frond::indexer
