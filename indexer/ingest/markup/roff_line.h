#pragma once
// One line of roff.
#include <string>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

// A line without its escapes: fonts, sizes, motions and comments are dropped, known special characters become their
// characters. Valid UTF-8 stays valid.
std::string printed(std::string_view line);

// The arguments behind a request's name, each printed(). They are separated by blanks, or in double quotes, in which
// "" stands for a quote.
std::vector<std::string> arguments_of(std::string_view text);

}  // namespace frond::indexer::ingest
