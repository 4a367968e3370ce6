#pragma once
// From texts to the tokens of a TokenGrouper: cuts tokens, and finds their terms in a table of tokens that were met
// before. The terms are those that an Analyzer finds one after the other, which tests and a fuzzer compare.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
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
  // Adds the terms of `text`, less than 4 GiB, to the grouper's document, and returns how many there are.
  std::uint32_t add(std::string_view text);

 private:
  // Tokens that are looked up together, so that the table's memory is on its way when it is read.
  static constexpr std::size_t kTokensAhead = 64;
  static constexpr TermId kUnknown = kNoTerm - 1;
  void find_tokens(std::size_t begin);
  std::uint32_t add_tokens(std::string_view text);
  // A token that is not in the table, and its term.
  struct NewToken {
    std::uint32_t term_end = 0;  // in new_terms_
    TermTable::Sought sought;
  };
  void find_terms(std::string_view text, std::size_t begin);
  TermId learn(const SoughtToken& token, std::string_view term, const TermTable::Sought& sought);

  text::Analyzer analyzer_;
  TokenTable tokens_;
  TokenGrouper& grouper_;
  // The tokens at hand, and their terms or kUnknown.
  std::array<SoughtToken, kTokensAhead> sought_;
  // The terms of those that are unknown, one behind the other.
  std::string new_terms_;
  std::array<NewToken, kTokensAhead> new_tokens_;
  std::array<TermId, kTokensAhead> found_;
  std::size_t count_ = 0;
};

}  // namespace frond::indexer::parse
