#pragma once
// Texts with what tokenizers stumble over: accents, scripts without spaces, markup, addresses, apostrophes, numbers,
// very long words, underscores, bytes that are no UTF-8.
#include <random>
#include <string>

namespace frond::support {

// oddness: of 100 words so many are not plain.
std::string random_text(std::mt19937& random, std::size_t words, unsigned oddness);

}  // namespace frond::support
