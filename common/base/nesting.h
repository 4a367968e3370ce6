#pragma once
// How deep JSON is, asked before it is parsed: a tree is copied and written by recursion. Any thread.
#include <cstddef>
#include <string_view>

namespace frond {

// Whether brackets outside strings nest at most so deep. Of what is no JSON it says nothing that counts.
inline bool nests_within(std::string_view json, std::size_t most) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if ((c == '{' || c == '[') && ++depth > most) return false;
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return true;
}

}  // namespace frond
