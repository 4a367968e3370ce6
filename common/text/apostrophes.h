#pragma once
// What the analyzers standard2 and standard3 do with apostrophes and with digits in groups. Words are in normal form
// (normal_form.h): small letters, every apostrophe is '.
#include <cstddef>
#include <string>
#include <string_view>

namespace frond::text {

// The bytes of an article or pronoun that French, Italian or Catalan elide before a vowel, with its apostrophe: 2 of
// "l'école", 3 of "qu'il". 0: there is none ("o'brien", "don't", "d'souza").
std::size_t elided_bytes(std::string_view word);

// The word without what is elided before it, and without a final 's: "école", "parkinson", "don't". O' is joined to the
// name: "obrien". May change `word`, which the result borrows.
std::string_view without_apostrophes(std::string& word);

// Whether what is behind an apostrophe is an ending or a word of its own ("İstanbul'da", "rock'n"), so that the word
// before is one, too: no article, O' or a letter or two, and no English contraction ("don't"). In any case of letters.
bool has_ending(std::string_view before, std::string_view behind);

// The number without the commas between its groups of three digits: "3,000,000" is "3000000". Others stay: "1,2".
std::string_view without_thousands_commas(std::string& number);

}  // namespace frond::text
