#pragma once
// JSON that simdjson refuses for a value that it cannot hold, although other readers take it: numbers of any length or
// size, NaN and Infinity, half surrogate pairs, values that nest deeply.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::indexer::ingest {

// JSON in which every number but short whole ones stands aside: in its place there is its place in `begins`, as a
// number with an exponent, which simdjson takes for a double. Deep values are null. Half surrogates are U+FFFD.
class JsonWords {
 public:
  static constexpr std::size_t kMaxDepth = 64;  // brackets inside one another

  // `json` is valid UTF-8. kInvalid: a word that is no JSON, nor NaN or Infinity; the message names it.
  static Result<JsonWords> set_aside(std::string_view json);
  std::string json;
  // The word that stands for `double`, as it was written.
  std::string_view written(double place) const;

 private:
  std::string source_;
  std::vector<std::uint32_t> begins_;
};

// Whether `word` is a number of JSON's grammar, of any length.
bool is_json_number(std::string_view word);

}  // namespace frond::indexer::ingest
