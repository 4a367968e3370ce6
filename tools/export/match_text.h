#pragma once
// The hits of answers as lines of CSV (RFC 4180) or JSON. Values are taken from the answer as they stand there: numbers
// keep their digits, documents their members' order.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::tools {

enum class MatchFormat { kCsv, kJsonLines };

// What an answer says beside its hits.
struct MatchPage {
  std::uint64_t hits = 0, total = 0;
  std::string cursor;  // empty: there is no further page
};

class MatchText {
 public:
  // `fields`: members of hits, in the order of the columns. `escape_formulas`: in CSV, strings that a spreadsheet would
  // take for a formula (they begin with = + - @, a tabulator or CR) get an apostrophe before them.
  MatchText(MatchFormat format, std::vector<std::string> fields, bool escape_formulas)
      : format_(format), fields_(std::move(fields)), escape_formulas_(escape_formulas) {}

  // CSV's header line; nothing of JSON.
  std::string head() const;
  // Appends a line for each hit. In CSV a value that a hit has not is an empty cell and an empty string a quoted one; a
  // list or an object is JSON. In JSON members that a hit has not are left out. kCorrupt: that is no answer.
  Result<MatchPage> append(std::string_view answer, std::string& to) const;

 private:
  MatchFormat format_;
  std::vector<std::string> fields_;
  bool escape_formulas_;
};

}  // namespace frond::tools
