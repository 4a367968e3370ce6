#pragma once
// Lines of "Name: value", as heads of WARC records, HTTP messages and web pages in TREC collections have them. Views of
// the text that was parsed.
#include <cstddef>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

// Where the empty line after a head's fields ends. Lines end with "\r\n" or "\n". npos: `text` has no empty line.
std::size_t head_end(std::string_view text);

class HeaderFields {
 public:
  static constexpr std::size_t kMaxFields = 1000;  // further ones are ignored

  // `lines` has no status line. Lines without a colon, and those that go on with the line before, are ignored.
  static HeaderFields parse(std::string_view lines);
  // The trimmed value of the first field of this name, in any case. Empty: there is none.
  std::string_view value(std::string_view name) const;
  bool has(std::string_view name) const;

 private:
  struct Field {
    std::string_view name, value;
  };
  const Field* find(std::string_view name) const;
  std::vector<Field> fields_;
};

// Whether two names are equal but for the case of ASCII letters.
bool same_name(std::string_view a, std::string_view b);

}  // namespace frond::indexer::ingest
