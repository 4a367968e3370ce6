#pragma once
// The names of fields in JSON and of columns in CSV.
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

// The usual ones.
inline constexpr std::array<std::string_view, 5> kIdNames = {"id", "_id", "pid", "docid", "doc_id"};
inline constexpr std::array<std::string_view, 1> kUrlNames = {"url"};
inline constexpr std::array<std::string_view, 1> kTitleNames = {"title"};
inline constexpr std::array<std::string_view, 5> kBodyNames = {"contents", "body", "text", "content", "passage"};

// If a record has several of a list, the first one counts.
struct FieldNames {
  std::vector<std::string> id{kIdNames.begin(), kIdNames.end()};
  std::vector<std::string> url{kUrlNames.begin(), kUrlNames.end()};
  std::vector<std::string> title{kTitleNames.begin(), kTitleNames.end()};
  std::vector<std::string> body{kBodyNames.begin(), kBodyNames.end()};
  bool join_bodies = false;  // all of `body` count, one behind the other
  // In JSON, a name with dots is also a path: "article.body" is "body" in "article", which may be a list of objects.
  bool paths = false;
};
// Those that records have unless others are asked for.
const FieldNames& usual_field_names();
// Null stands for the usual ones.
inline const FieldNames& names_or_usual(const FieldNames* names) {
  return names == nullptr ? usual_field_names() : *names;
}

// "\"id\", \"_id\"": for messages.
std::string quoted(const std::vector<std::string>& names);

}  // namespace frond::indexer::ingest
