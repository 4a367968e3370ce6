#pragma once
// One line of roff.
#include <string>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

// The line without its escapes: fonts, sizes, motions and comments dropped, special characters printed, as far as they
// are known. Valid UTF-8 stays valid.
std::string printed(std::string_view line);

// What stands behind a request's name: blank-separated arguments, each printed; in double quotes with "" for one.
std::vector<std::string> arguments_of(std::string_view text);

}  // namespace frond::indexer::ingest
