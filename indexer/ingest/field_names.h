#pragma once
// What fields are called in JSON, and columns in CSV. Of several that are there, the first of a list counts.
#include <array>
#include <string_view>

namespace frond::indexer::ingest {

inline constexpr std::array<std::string_view, 5> kIdNames = {"id", "_id", "pid", "docid", "doc_id"};
inline constexpr std::array<std::string_view, 1> kUrlNames = {"url"};
inline constexpr std::array<std::string_view, 1> kTitleNames = {"title"};
inline constexpr std::array<std::string_view, 5> kBodyNames = {"contents", "body", "text", "content", "passage"};

}  // namespace frond::indexer::ingest
