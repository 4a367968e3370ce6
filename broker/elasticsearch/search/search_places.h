#pragma once
// What `_scroll_id` and the id of a point in time hold: all that the next page needs, so that nothing has to be held
// for them, and any broker can go on. Only those that were closed before their time are remembered. Any thread.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/elasticsearch/search/index_search.h"
#include "common/base/ids.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxPlaceBytes = 512 << 10;            // of an id
inline constexpr std::int64_t kMostKeepAliveMs = 24 * 3'600'000LL;  // from one page to the next
inline constexpr std::size_t kMaxClosed = 100'000;                  // that are remembered

struct SearchPlace {
  std::uint64_t number = 0;                              // the same in all ids of a scroll or a point in time
  std::int64_t ends_ms = 0;                              // since 1970; then it is not found
  std::string expression;                                // the indices
  std::map<std::string, GenerationId> generations = {};  // of them
  // Of a scroll.
  Json body = nullptr;
  Parameters parameters = {};
  std::int64_t now_ms = 0;  // when it began
  Scrolled scrolled = {};   // where the next page begins
  std::uint64_t total = 0;  // of its first page
  bool exact = true;        // likewise
  double max_score = -1;    // likewise; below 0: there is none
};

std::uint64_t new_place_number();
std::string place_text(const SearchPlace& place);
// 400: it is no id of this API; 404 search_context_missing_exception: its time is over, or it was closed.
Expected<SearchPlace> read_place(std::string_view text, std::int64_t now_ms);
// What a page of a scroll got of an index.
struct ScrolledPart {
  std::string index, start, next;  // IndexAnswer's
  Json read = nullptr;             // ReadParts::kept
};
// Where a scroll goes on whose page are the first ask.size of these hits, best first. `parts`: by the hits' indices.
Scrolled places_behind(const SearchAsk& ask, const std::vector<Hit>& hits, std::vector<ScrolledPart> parts);
// False: it was closed before.
bool close_place(const SearchPlace& place);
ApiError missing_place();
// "1m". 400: none, or too long.
Expected<std::int64_t> keep_alive(std::string_view text, std::string_view name);

}  // namespace frond::broker::elasticsearch
