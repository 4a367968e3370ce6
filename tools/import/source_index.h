#pragma once
// An index of Elasticsearch or OpenSearch, read page by page: in a point in time where the node has such, in the order
// of shards and documents (_shard_doc) or, where it does not know that, of ids; else as a scroll. One thread.
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "tools/import/record.h"
#include "tools/import/retried_requests.h"

namespace frond::tools {

// Where the reading is; kept in a file, so that it can go on.
struct SourcePlace {
  enum class Way : std::uint8_t { kNew, kShards, kIds, kScroll };
  Way way = Way::kNew;
  std::string context;          // the point in time, or the scroll
  bool elasticsearch = true;    // whose routes the point in time has
  std::string after;            // JSON, the values of the last hit; empty: from the beginning
  std::uint64_t documents = 0;  // read so far
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

class SourceIndex {
 public:
  // `index`: its name, as in a URL.
  SourceIndex(RetriedRequests& node, std::string index) : node_(node), index_(std::move(index)) {}

  // The answer of GET /{index}. kNotFound: there is no such index.
  Result<std::string> describe();
  // The next page of at most `hits`; without any: all was read. `place` is moved on. Where the node has lost the place,
  // and no other can be found, it begins anew, and so does a scroll of which an answer was lost, since what it had goes
  // with it: then `place.documents` is what this page has. Errors: as RetriedRequests::ask(), and as read_page();
  // kInvalid: the node refuses.
  Result<SourcePage> next(const std::vector<elasticsearch::MappedField>& fields, std::uint32_t hits,
                          SourcePlace& place);
  // Behind one hit that can't be read: a page that refuses it alone. kCorrupt: a scroll has no way around it.
  Result<SourcePage> pass_over(const Error& why, SourcePlace& place);
  // Lets the node forget the place. Whether it does is nobody's concern.
  void close(const SourcePlace& place);

 private:
  Result<void> open(SourcePlace& place);
  Result<http::Answered> ask(std::uint32_t hits, const SourcePlace& place, bool source = true);
  Result<SourcePage> take(Result<SourcePage> page, SourcePlace& place);

  RetriedRequests& node_;
  const std::string index_;
  unsigned scrolls_lost_ = 0;
};

}  // namespace frond::tools
