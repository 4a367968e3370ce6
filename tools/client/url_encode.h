#pragma once
// Text in URLs.
#include <string>
#include <string_view>

namespace frond::tools {

// Percent-encodes every byte that is not allowed in the value of a query parameter.
std::string url_encode(std::string_view text);

}  // namespace frond::tools
