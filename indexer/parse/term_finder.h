#pragma once
// From texts to the tokens of a TokenGrouper: cuts tokens, and finds their terms in a table of tokens that were met
// before. The terms are those that an Analyzer finds one after the other, which tests and a fuzzer compare.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/text/analyzer.h"
#include "common/text/cut_form.h"
#include "common/text/token_cutter.h"
#include "indexer/parse/token_groups.h"
#include "indexer/parse/token_table.h"

namespace frond::indexer::parse {

// One thread; keeps its tables from batch to batch.
class TermFinder {
 public:
  // Takes 768 KiB beside the tables of `table_bits`. Nothing else interns terms in the grouper.
  TermFinder(const text::AnalyzerConfig& analyzer, int table_bits, TokenGrouper& grouper);
  // Adds the terms of `text`, less than 4 GiB, to the grouper's document, and returns how many there are.
  std::uint32_t add(std::string_view text);

 private:
  // Tokens that are looked up together, so that the table's memory is on its way when it is read; and tokens that no
  // table has, which wait for others of their text for the same reason.
  static constexpr std::size_t kTokensAhead = 64, kNewTokensAhead = 32;
  struct NewToken {
    TokenLookup token;
    std::uint32_t term_end = 0;  // in new_terms_
    TermTable::Lookup lookup;
  };
  class Sink;
  std::uint32_t add_form(std::string_view form, std::size_t from);
  std::uint32_t add_full(std::string_view text);
  std::uint32_t add_tokens(std::string_view text, std::size_t first, std::size_t count);
  void find_tokens(std::string_view text, std::size_t first, std::size_t count);
  std::uint32_t add_new(std::string_view text);
  void find_terms(std::string_view text);
  TermId learn(const NewToken& token, std::string_view text, std::string_view term);

  text::Analyzer analyzer_;
  text::CutForm form_{/*keeps_places=*/false};  // standard3 only
  TokenTable tokens_;
  LongTokens long_tokens_;
  TokenGrouper& grouper_;
  // The tokens at hand; of those that come as bits, every other character begins one.
  static constexpr std::size_t kMostTokens = kTokensAhead + text::kMostRunBlocks * 32 + 1 + text::kMorePlaces;
  std::array<std::uint32_t, kMostTokens> begins_, ends_;
  std::size_t count_ = 0;
  std::array<TokenLookup, kTokensAhead> lookups_;
  std::array<TermId, kTokensAhead + kTokensTold> terms_;
  // The terms of those that the table has, without stop words.
  std::array<TermId, kTokensAhead + kTokensTold> found_;
  std::size_t found_count_ = 0;
  // Those that it does not have, by their places in lookups_; then those of the text so far, and their terms, one
  // behind the other.
  std::array<std::uint32_t, kTokensAhead + kTokensTold> unknown_;
  std::array<NewToken, kNewTokensAhead + kTokensAhead> new_;
  std::size_t new_count_ = 0;
  std::string new_terms_;
  // Terms of new tokens that are not added yet.
  std::array<TermId, kNewTokensAhead + kTokensAhead> learnt_;
  std::size_t learnt_count_ = 0;
};

}  // namespace frond::indexer::parse
