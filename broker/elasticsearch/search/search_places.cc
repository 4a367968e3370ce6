#include "broker/elasticsearch/search/search_places.h"

#include <random>
#include <set>

#include "broker/query/base64url.h"
#include "common/base/mutex.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

// By number; of too many any one is forgotten, in a step, since ids of any number are easily made up.
class ClosedPlaces {
 public:
  bool contains(std::uint64_t number) const {
    const MutexLock lock(mutex_);
    return closed_.contains(number);
  }
  bool add(std::uint64_t number) {
    const MutexLock lock(mutex_);
    if (closed_.size() >= kMaxClosed) closed_.erase(closed_.begin());
    return closed_.insert(number).second;
  }

 private:
  mutable Mutex mutex_;
  std::set<std::uint64_t> closed_ FROND_GUARDED_BY(mutex_);
};
ClosedPlaces& closed_places() {
  static ClosedPlaces places;
  return places;
}

}  // namespace

std::uint64_t new_place_number() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

std::string place_text(const SearchPlace& place) {
  Json json = {{"n", place.number}, {"x", place.ends_ms}, {"i", place.expression}};
  for (const auto& [index, generation] : place.generations) json["g"][index] = {generation.number, generation.content};
  if (!place.body.is_null()) {
    json["b"] = place.body;
    json["p"] = place.parameters;
    json["s"] = Json::object();
    for (const auto& [index, at] : place.scrolled) json["s"][index] = {at.cursor, at.over, at.read};
    json["h"] = {place.total, place.exact};
    json["m"] = place.max_score;
    json["t"] = place.now_ms;
  }
  return broker::query::base64url(as_bytes(dumped(json)));
}

Expected<SearchPlace> read_place(std::string_view text, std::int64_t now_ms) {
  const auto wrong = [] { return illegal_argument("Cannot parse scroll id"); };
  if (text.size() > kMaxPlaceBytes) return wrong();
  const auto bytes = broker::query::base64url_bytes(text);
  if (!bytes) return wrong();
  const auto json = parse_object(as_text(*bytes));
  if (!json || !json->contains("n")) return wrong();
  if (json->contains("b") && !json->contains("s")) return missing_place();  // of an earlier version
  SearchPlace place;
  // No number with a fraction, nor one that no integer has. REQUIRES: within typed().
  const auto whole = [](const Json& number) { return number.get_ref<const Json::number_integer_t&>(); };
  auto read = typed([&]() -> Expected<void> {
    place.number = static_cast<std::uint64_t>(whole(json->at("n")));
    place.ends_ms = whole(json->at("x"));
    place.expression = json->at("i");
    if (json->contains("g"))
      for (const auto& [index, generation] : json->at("g").items())
        place.generations[index] = {static_cast<Generation>(whole(generation.at(0))),
                                    generation.at(1).get<ContentId>()};
    if (!json->contains("b")) return {};
    place.body = json->at("b");
    place.parameters = json->at("p").get<Parameters>();
    for (const auto& [index, at] : json->at("s").items())
      place.scrolled[index] = {at.at(0).get<std::string>(), at.at(1).get<bool>(), at.at(2)};
    place.total = static_cast<std::uint64_t>(whole(json->at("h").at(0)));
    place.exact = json->at("h").at(1);
    place.max_score = json->at("m");
    place.now_ms = whole(json->at("t"));
    return {};
  });
  if (!read || place.now_ms < 0 || place.now_ms > now_ms + kMostKeepAliveMs) return wrong();
  if (place.ends_ms < now_ms || closed_places().contains(place.number)) return missing_place();
  return place;
}

Scrolled places_behind(const SearchAsk& ask, const std::vector<Hit>& hits, std::vector<ScrolledPart> parts) {
  for (ScrolledPart& part : parts)
    if (const auto before = ask.scrolled.find(part.index); before != ask.scrolled.end())
      part.start = before->second.cursor;
  for (std::size_t i = 0; i < hits.size() && i < ask.size; ++i) parts[hits[i].index].start = hits[i].cursor;
  // Not all that came was shown.
  for (std::size_t i = ask.size; i < hits.size(); ++i) parts[hits[i].index].next = parts[hits[i].index].start;
  Scrolled places;
  for (ScrolledPart& part : parts) {
    const bool over = part.next.empty();
    places[part.index] = {std::move(part.next), over, over ? Json() : std::move(part.read)};
  }
  return places;
}

bool close_place(const SearchPlace& place) { return closed_places().add(place.number); }

ApiError missing_place() {
  return {.status = 404,
          .type = "search_phase_execution_exception",
          .reason =
              "all shards failed: no search context found: its time is over, it was closed, or what it searched "
              "is gone",
          .root_type = "search_context_missing_exception"};
}

Expected<std::int64_t> keep_alive(std::string_view text, std::string_view name) {
  const auto ms = duration_ms(text);
  if (!ms || *ms <= 0)
    return illegal_argument("failed to parse setting [" + std::string(name) + "] with value [" +
                            std::string(text.substr(0, 100)) + "] as a time value: unit is missing or unrecognized");
  if (*ms > kMostKeepAliveMs)
    return illegal_argument("Keep alive for request (" + std::string(text.substr(0, 100)) +
                            ") is too large. It must be less than (1d).");
  return *ms;
}

}  // namespace frond::broker::elasticsearch
