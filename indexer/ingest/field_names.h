#pragma once
// The names of fields in JSON and of columns in CSV. If a record has several of a list, the first one counts.
#include <array>
#include <string_view>

namespace frond::indexer::ingest {

inline constexpr std::array<std::string_view, 5> kIdNames = {"id", "_id", "pid", "docid", "doc_id"};
inline constexpr std::array<std::string_view, 1> kUrlNames = {"url"};
inline constexpr std::array<std::string_view, 1> kTitleNames = {"title"};
inline constexpr std::array<std::string_view, 5> kBodyNames = {"contents", "body", "text", "content", "passage"};

}  // namespace frond::indexer::ingest
