#pragma once
// With which letters a token begins, if its term is a given one.
#include <optional>
#include <string_view>

#include "common/text/analyzer_config.h"

namespace frond::text {

struct TokenPrefix {
  // Every token of the term begins with this, in lower case: a beginning of the term, not empty.
  std::string_view bytes;
  // Whether an ASCII letter may follow in the token. If not, only an "s", an "es", or what is no letter.
  bool any_letter_may_follow = true;
};

// nullopt: no rule is known for such an analyzer, so any token may have the term. `term` is a result of the analyzer
// and not empty; the result is a part of it.
//
// With standard2 and standard3 it holds for spans that are ASCII or has_plain_form() (normal_form.h), from where an
// elided article ends, and for their plain spelling: without an apostrophe after O, commas between digits, dots between
// initials, the v of a version.
//
// Porter and English: the rules follow from those of the stemmers (Porter 1980; Snowball's English stemmer). They
// remove endings, which leaves a beginning of the word, and replace:
//   y by i (happy: happi), ies by y in one word (skies: sky), y by ie in three (dying: die)
//   ..., enci, anci, izer, ization, ational, ation, ator, iviti by an ending with another last letter, e (relational:
//   relate), and the same with removed letters (hoping: hope)
//   biliti by ble, of which the e may be removed again (sensibility: sensibl)
// They never change a word's first letter. Where the term has no vowel, only s and es were removed: every other rule
// wants a vowel in what it leaves.
// Other languages: the first letter, where the stemmer only changes what follows it.
std::optional<TokenPrefix> token_prefix(const AnalyzerConfig& config, std::string_view term);

}  // namespace frond::text
