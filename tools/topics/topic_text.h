#pragma once
// What the forms of topics share: texts on one line, names of members.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "tools/topics/topics.h"

namespace frond::tools {

Error invalid(std::string what);  // kInvalid

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
std::string_view trimmed(std::string_view text);
// ASCII letters in lower case.
std::string lower_case(std::string_view text);
// Runs of white space and control characters become one space; none at the ends. Not UTF-8: read as Latin-1.
std::string one_line(std::string_view text);
// A topic of a text that may be on several lines; `place` ("topic 3", "line 7") is for the error: one of both is empty.
Result<Topic> topic_of(std::string_view id, std::string_view text, const std::string& place);
// "line 12": of the byte at `at`.
std::string line_of(std::string_view text, std::size_t at);

// Names of elements and members, in lower case, the better ones first.
std::span<const std::string_view> id_names();
std::span<const std::string_view> query_names();

}  // namespace frond::tools
