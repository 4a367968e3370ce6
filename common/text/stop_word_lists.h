#pragma once
// Function words of some languages: articles, prepositions, conjunctions, pronouns, and forms of the verbs for to be
// and to have. Words that are also common nouns were left out, since queries ask for those (French est, été; German
// Alter).
#include <span>
#include <string_view>

namespace frond::text {

struct StopWordList {
  std::string_view language;  // as its stemmer is named, if there is one
  std::string_view words;     // separated by single spaces, in small letters; empty: stop_words.cc has them
};

// The first two are no list and English.
std::span<const StopWordList> stop_word_lists();

}  // namespace frond::text
