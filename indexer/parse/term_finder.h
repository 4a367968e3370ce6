#pragma once
// From texts to the tokens of a TokenGrouper: cuts tokens, and finds their terms in a table of tokens that were met
// before. The terms are those that an Analyzer finds one after the other, which tests and a fuzzer compare.
#include <cstdint>
#include <span>
#include <string_view>

#include "common/text/analyzer.h"
#include "indexer/parse/token_groups.h"
#include "indexer/parse/token_table.h"

namespace frond::indexer::parse {

// One thread; keeps its tables from batch to batch.
class TermFinder {
 public:
  // Takes 512 KiB beside the tables of `table_bits`. Nothing else interns terms in the grouper.
  TermFinder(const text::AnalyzerConfig& analyzer, int table_bits, TokenGrouper& grouper);
  // Adds the terms of `text` to the grouper's document, and returns how many there are.
  std::uint32_t add(std::string_view text);

 private:
  std::uint32_t add_tokens(std::string_view text, std::span<const SoughtToken> sought);
  TermId learn(std::string_view text, const SoughtToken& token);

  text::Analyzer analyzer_;
  TokenTable tokens_;
  TokenGrouper& grouper_;
};

}  // namespace frond::indexer::parse
