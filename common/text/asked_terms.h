#pragma once
// Which of some terms a token has. Remembers the last tokens, as words come again and again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/text/analyzer.h"

namespace frond::text {

// One thread. Borrows the terms, and the text that tokens are parts of.
class AskedTerms {
 public:
  AskedTerms(Analyzer& analyzer, std::span<const std::string_view> terms) : analyzer_(analyzer), terms_(terms) {}
  // The position of the token's term among the terms; their number if it has none of them.
  std::uint32_t position_of(std::string_view token) {
    Asked& asked = asked_[(token.size() * 5 + static_cast<unsigned char>(token.front())) % asked_.size()];
    if (token != asked.token) asked = {token, position_of_other(token)};
    return asked.term;
  }
  // The same of a token that is no part of the text.
  std::uint32_t position_of_other(std::string_view token) {
    return static_cast<std::uint32_t>(std::ranges::find(terms_, analyzer_.term_of(token)) - terms_.begin());
  }
  std::size_t size() const { return terms_.size(); }

 private:
  struct Asked {
    std::string_view token;  // empty: none
    std::uint32_t term = 0;
  };

  Analyzer& analyzer_;
  const std::span<const std::string_view> terms_;
  std::array<Asked, 16> asked_;
};

}  // namespace frond::text
