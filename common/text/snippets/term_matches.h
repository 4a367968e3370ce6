#pragma once
// Where a text has some terms, without cutting all of it into tokens.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/analyzer.h"

namespace frond::text {

struct TermMatch {
  TokenSpan where;
  std::uint32_t term;  // terms are numbered by first occurrence in the list; equal ones have one number, "" none
  friend bool operator==(const TermMatch&, const TermMatch&) = default;
};

// All tokens of `text` whose term is one of `terms`, in order: as if each token were asked. `terms` are results of
// `analyzer`; "" stands for a stop word and matches nothing.
std::vector<TermMatch> find_terms(Analyzer& analyzer, std::string_view text, std::span<const std::string> terms);

// The same by cutting all of `text` into tokens: for many terms, for analyzers of which it is not known how a term's
// tokens begin (wanted_words.h), and for tests.
std::vector<TermMatch> find_terms_plainly(Analyzer& analyzer, std::string_view text,
                                          std::span<const std::string> terms);

}  // namespace frond::text
