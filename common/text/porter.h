#pragma once
// The Porter stemmer for words of ASCII letters, digits and marks: what libstemmer's "porter" gives, to the byte (a
// test compares them), in less than half the time. A parser stems every word that it has not met lately. (M. F. Porter,
// "An algorithm for suffix stripping", 1980, as Snowball's porter.sbl has it.)
#include <cstddef>

namespace frond::text {

// Stems the word word[0, size) in place; it has no capitals and no bytes above 0x7f. There is room for one byte behind
// it. Returns the size of the stem.
std::size_t porter_stem(char* word, std::size_t size);

}  // namespace frond::text
