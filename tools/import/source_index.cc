#include "tools/import/source_index.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace frond::tools {
namespace {
using Json = nlohmann::ordered_json;
using Way = SourcePlace::Way;

constexpr const char* kKept = "10m";  // how long the node keeps a place after each request
constexpr const char* kElasticsearch = "/_pit";
constexpr const char* kOpenSearch = "/_search/point_in_time";
constexpr unsigned kMostBeginnings = 5;  // of one page; scrolls that are lost

bool is_ok(const http::Answered& answer) { return answer.status >= 200 && answer.status < 300; }

std::string member(const http::Answered& answer, const char* name) {
  const Json json = Json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : "";
}

}  // namespace

Result<std::string> SourceIndex::describe() {
  auto answer = FROND_TRY(node_.ask("GET", "/" + index_));
  if (answer.status == 404) return Error(Code::kNotFound, "there is no index " + index_);
  if (!is_ok(answer)) return refusal_of(answer);
  return std::move(answer.body);
}

// Opens a point in time, or nothing where there are none. What `place` is behind stays.
Result<void> SourceIndex::open(SourcePlace& place) {
  for (const bool elasticsearch : {true, false}) {
    if (place.way == Way::kScroll) break;
    const std::string route = "/" + index_ + (elasticsearch ? kElasticsearch : kOpenSearch);
    const auto answer = FROND_TRY(node_.ask("POST", route + "?keep_alive=" + kKept));
    if (answer.status == 401 || answer.status == 403) return refusal_of(answer);
    place.context = member(answer, elasticsearch ? "id" : "pit_id");
    if (!is_ok(answer) || place.context.empty()) continue;
    place.elasticsearch = elasticsearch;
    for (const Way way : {Way::kShards, Way::kIds}) {
      if (place.way != Way::kNew && place.way != way) continue;
      SourcePlace tried = place;
      tried.way = way;
      const auto page = FROND_TRY(ask(1, tried, /*source=*/false));
      if (!is_ok(page)) continue;
      place.way = way;
      return {};
    }
    close(place);
  }
  place = {.way = Way::kScroll};
  return {};
}

Result<http::Answered> SourceIndex::ask(std::uint32_t hits, const SourcePlace& place, bool source) {
  if (place.way == Way::kScroll && !place.context.empty())
    return node_.ask("POST", "/_search/scroll", Json({{"scroll", kKept}, {"scroll_id", place.context}}).dump(),
                     "application/json", {}, RetriedRequests::Repeat::kAtMostOnce);
  Json body = {{"size", hits}, {"track_total_hits", place.documents == 0}};
  if (!source) body["_source"] = false;
  if (place.way == Way::kScroll) {
    body["sort"] = Json::array({"_doc"});
    return node_.ask("POST", "/" + index_ + "/_search?scroll=" + kKept, body.dump());
  }
  body["pit"] = {{"id", place.context}, {"keep_alive", kKept}};
  body["sort"] = Json::array({Json({{place.way == Way::kShards ? "_shard_doc" : "_id", "asc"}})});
  if (!place.after.empty()) body["search_after"] = Json::parse(place.after, nullptr, /*allow_exceptions=*/false);
  return node_.ask("POST", "/_search", body.dump());
}

Result<SourcePage> SourceIndex::next(const std::vector<elasticsearch::MappedField>& fields, std::uint32_t hits,
                                     SourcePlace& place) {
  for (unsigned begun = 0; begun < kMostBeginnings; ++begun) {
    if (place.context.empty() && place.way != Way::kScroll) FROND_TRY(open(place));
    const bool scrolls = place.way == Way::kScroll && !place.context.empty();
    auto asked = ask(hits, place);
    if (!asked && scrolls) {
      close(place);
      place = {.way = Way::kScroll};
      if (asked.error().code() != Code::kCorrupt && ++scrolls_lost_ <= kMostBeginnings) continue;
    }
    const auto answer = FROND_TRY(std::move(asked));
    if (answer.status == 404) {  // the node has lost the place
      const bool goes_on = place.way == Way::kIds;
      place.context.clear();
      if (!goes_on) place = {.way = place.way == Way::kScroll ? Way::kScroll : Way::kNew};
      continue;
    }
    if (!is_ok(answer)) return refusal_of(answer);
    auto page = read_page(fields, answer.body);
    if (!page && place.way == Way::kScroll) {
      close(place);
      place = {.way = Way::kScroll};
    }
    return take(std::move(page), place);
  }
  return Error(Code::kUnavailable, "the node loses its place in the index again and again");
}

Result<SourcePage> SourceIndex::take(Result<SourcePage> taken, SourcePlace& place) {
  auto page = FROND_TRY(std::move(taken));
  page.first = place.documents == 0;
  if (!page.context.empty()) place.context = page.context;
  place.after = page.after.empty() ? place.after : page.after;
  place.documents += page.hits();
  return page;
}

Result<SourcePage> SourceIndex::pass_over(const Error& why, SourcePlace& place) {
  if (place.way == Way::kScroll || place.context.empty()) return why;
  auto answer = FROND_TRY(ask(1, place, /*source=*/false));
  if (!is_ok(answer)) return refusal_of(answer);
  auto page = FROND_TRY(take(read_page({}, answer.body), place));
  if (page.refused.empty()) return why;
  page.refused.front().why = why.message();
  return page;
}

void SourceIndex::close(const SourcePlace& place) {
  if (place.context.empty()) return;
  if (place.way == Way::kScroll)
    (void)node_.ask("DELETE", "/_search/scroll", Json({{"scroll_id", place.context}}).dump());
  else if (place.elasticsearch)
    (void)node_.ask("DELETE", kElasticsearch, Json({{"id", place.context}}).dump());
  else
    (void)node_.ask("DELETE", kOpenSearch, Json({{"pit_id", Json::array({place.context})}}).dump());
}

}  // namespace frond::tools
