#include "common/text/token_prefix.h"

namespace frond::text {
namespace {

// The term without the letters at its end that may be others in the word.
std::string_view kept_by_stemmers(std::string_view term) {
  std::size_t changed = 0;
  if (term.ends_with("ble") || term.ends_with("ie"))
    changed = 2;
  else if (term.ends_with("bl") || term.ends_with('e') || term.ends_with('i') || term.ends_with('y'))
    changed = 1;
  return term.substr(0, term.size() > changed ? term.size() - changed : 1);
}

}  // namespace

std::optional<TokenPrefix> token_prefix(const AnalyzerConfig& config, std::string_view term) {
  // All that a configuration holds: whoever adds something decides here what it does to the beginnings of tokens.
  const auto& [stemmer, stop_words, kind, fold_accents] = config;
  (void)stop_words;                                                          // drops whole tokens only
  if (kind != AnalyzerKind::kStandard || fold_accents) return std::nullopt;  // terms may begin in another way
  switch (stemmer) {
    case Stemmer::kNone:
      return TokenPrefix{term, false};
    case Stemmer::kPorter:
    case Stemmer::kEnglish:
      if (term.find_first_of("aeiouy") == std::string_view::npos) return TokenPrefix{term, false};
      return TokenPrefix{kept_by_stemmers(term), true};
    default:  // those of other languages, which standard does not have
      return std::nullopt;
  }
}

}  // namespace frond::text
