#include "common/text/token_prefix.h"

#include "common/text/utf8.h"

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

// Whether the first letter of a word that has_plain_form() and of its stem are the same. Of the others Indonesian's and
// Irish's remove prefixes, Serbian's writes Cyrillic words in Latin letters, and Turkish's may change the last
// consonant of what remains, which can be the first.
bool keeps_first_letter(Stemmer stemmer) {
  return stemmer != Stemmer::kIndonesian && stemmer != Stemmer::kIrish && stemmer != Stemmer::kSerbian &&
         stemmer != Stemmer::kTurkish;
}

}  // namespace

std::optional<TokenPrefix> token_prefix(const AnalyzerConfig& config, std::string_view term) {
  // All that a configuration holds: whoever adds something decides here what it does to the beginnings of tokens.
  const auto& [stemmer, stop_words, kind, fold_accents, split_case] = config;
  (void)stop_words;                // drops whole tokens only
  (void)kind, (void)fold_accents;  // what these change the beginning of, find_spans() looks for in other ways
  // "C++Builder" has the term "c++", and camelCase has "camel".
  const bool ends_anywhere = term.ends_with('+') || split_case;
  switch (stemmer) {
    case Stemmer::kNone:
      return TokenPrefix{term, ends_anywhere};
    case Stemmer::kPorter:
    case Stemmer::kEnglish:
      if (term.find_first_of("aeiouy") == std::string_view::npos) return TokenPrefix{term, ends_anywhere};
      return TokenPrefix{kept_by_stemmers(term), true};
    default:
      if (!keeps_first_letter(stemmer)) return std::nullopt;
      return TokenPrefix{term.substr(0, decode_utf8(term, 0).bytes), true};
  }
}

}  // namespace frond::text
