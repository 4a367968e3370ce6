#pragma once
// Which JSON texts have too many names for some readers.
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace frond::broker::elasticsearch {

// Whether an object of the text may have so many names that nlohmann::ordered_json, which compares each with all before
// it, would take long: 16 MiB of names half an hour. Colons are counted.
inline bool has_many_names(std::string_view text, std::ptrdiff_t many) { return std::ranges::count(text, ':') > many; }

}  // namespace frond::broker::elasticsearch
