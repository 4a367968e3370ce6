#include "tests/simulation/clients.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/scoring/bm25.h"

namespace frond::simulation {

using nlohmann::json;

namespace {

struct Shown {
  std::string id;
  topk::Score score = 0;
};

// "" if `shown` are the best of `expected` behind `offset`; where `some_missing`, some of these in their order.
std::string differs(const std::vector<Shown>& shown, const std::vector<Found::Hit>& expected, std::uint32_t offset,
                    std::uint32_t k, bool some_missing) {
  if (!some_missing) {
    const std::size_t begin = std::min<std::size_t>(offset, expected.size());
    const std::size_t wanted = std::min<std::size_t>(k, expected.size() - begin);
    if (shown.size() != wanted) return std::to_string(shown.size()) + " hits instead of " + std::to_string(wanted);
    for (std::size_t i = 0; i < wanted; ++i) {
      const Found::Hit& hit = expected[begin + i];
      if (shown[i].id != hit.id || shown[i].score != hit.hit.score)
        return "hit " + std::to_string(i) + " is " + shown[i].id + " instead of " + hit.id;
    }
    return {};
  }
  auto next = expected.begin();
  for (const Shown& one : shown) {
    next = std::find_if(next, expected.end(),
                        [&](const Found::Hit& hit) { return hit.id == one.id && hit.hit.score == one.score; });
    if (next++ == expected.end()) return one.id + " is no hit of what was searched, or out of order";
  }
  return {};
}

}  // namespace

void Clients::ask(BrokerProcess& broker, const Asks& asks) {
  const auto asked = std::make_shared<Asked>();
  Random& random = run_.random;
  asked->words = Collection::queries()[random.below(asks.queries)];
  asked->mode = static_cast<wire::Mode>(random.below(3));
  asked->k = random.one_in(3) ? 3 : 10;
  asked->offset = random.one_in(6) ? 4 : 0;
  if (asks.costly) {  // all are equal
    asked->words = Collection::queries()[0];
    asked->mode = wire::Mode::kAuto;
    asked->k = 10;
    asked->offset = 1'000;
  }
  asked->allows_partial = !random.one_in(5);
  asked->must_be_whole = asks.whole;
  asked->time = std::chrono::duration_cast<milliseconds>(random.time(asks.least_time, asks.most_time));
  std::string text = asked->text();
  if (!asked->allows_partial) text += "&allow_partial=false";
  if (random.one_in(6)) text += "&cache=off";
  if (!asks.whole && random.one_in(12)) text += "&processor=exhaustive";
  // Snippets and titles cost more than all else of a run.
  const bool titles = random.one_in(4);
  if (titles || run_.seed % 8 != 0) text += titles ? "&fields=title" : "&fields=id";
  const std::size_t thread = random.below(broker.threads());
  send(broker, thread, asked, text);
  if (!asks.leaves || !random.one_in(6) || asked->answers > 0) return;
  run_.after(random.time(microseconds(1), asked->time), [this, &broker, thread, asked] {
    if (!waiting_.contains(asked->number)) return;
    asked->has_left = true;
    run_.tell([&] { return "the client of " + asked->name() + " leaves"; });
    broker.on(thread, [&] { broker.service(thread).abandon(asked->ticket); });
  });
}

std::string Clients::Asked::text() const {
  std::string text = "q=" + words + "&mode=" + std::string(name_of(mode)) + "&k=" + std::to_string(k) +
                     "&offset=" + std::to_string(offset);
  std::ranges::replace(text, ' ', '+');
  return text;
}

// As routes.cc has it: a text that was answered before is not read again.
void Clients::send(BrokerProcess& broker, std::size_t thread, const AskedRef& asked, std::string text) {
  asked->number = ++last_;
  asked->deadline = run_.now() + asked->time;
  waiting_.emplace(asked->number, asked);
  run_.tell([&] {
    return asked->name() + " on thread " + std::to_string(thread) + ": " + text + ", within " +
           std::to_string(asked->time.count() / 1000) + " ms";
  });
  broker.on(thread, [&] {
    auto& service = broker.service(thread);
    if (const auto known = service.known_answer(text)) return answered(asked, *known);
    auto parsed = broker::http::parse_search_query(text);
    parsed.parameters.timeout_ms = static_cast<std::uint32_t>(asked->time.count() / 1000);
    const http::ClientId client{static_cast<std::uint8_t>(asked->number % 3)};
    asked->ticket =
        service.search(parsed.parameters, [this, asked](const http::Response& response) { answered(asked, response); },
                       text, {client});
  });
}

void Clients::ask_at_the_end(BrokerProcess& broker, const Published& current) {
  for (std::size_t thread = 0; thread < broker.threads(); ++thread)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto asked = std::make_shared<Asked>();
      asked->words = Collection::queries()[i];
      asked->must_be_of = &current;
      asked->time = seconds(2);
      send(broker, thread, asked, asked->text());
    }
}

void Clients::answered(const AskedRef& asked, const http::Response& response) {
  if (++asked->answers > 1) return run_.broken(Invariant::kOnce, asked->name() + " is answered twice");
  if (waiting_.erase(asked->number) == 0) return;  // of a broker that died
  ++answered_;
  run_.tell([&] {
    return asked->name() + " is answered " + std::to_string(response.status) + " " + response.body.substr(0, 400);
  });
  if (run_.now() > asked->deadline) run_.broken(Invariant::kInTime, asked->name() + " is answered after its deadline");
  const int status = response.status;
  if (status == 504 && run_.now() < asked->deadline - asked->time / 2)
    run_.broken(Invariant::kInTime, asked->name() + " is given up early");
  if (asked->has_left != (status == 499)) run_.broken(Invariant::kOnce, asked->name() + " was left, or was not");
  if (asked->has_left) return;
  if (status != 200 && status != 429 && status != 503 && status != 504)
    run_.broken(Invariant::kHonest, asked->name() + " has status " + std::to_string(status));
  if (status == 200) return check_body(*asked, response.body);
  if (asked->must_be_whole) run_.broken(Invariant::kWhole, asked->name() + ": " + response.body);
  if (asked->must_be_of != nullptr) run_.broken(Invariant::kRecovered, asked->name() + ": " + response.body);
}

void Clients::check_body(const Asked& asked, const std::string& body) {
  const json answer = json::parse(body);
  const json& coverage = answer["coverage"];
  std::vector<bool> searched(kPartitions, true);
  for (const json& one : coverage["degraded"]) searched.at(one["partition"].get<std::size_t>()) = false;
  const auto searched_count = static_cast<std::uint64_t>(std::ranges::count(searched, true));
  const bool whole = searched_count == kPartitions;
  whole_ += whole;
  const std::string name = asked.name();
  if (coverage["partitions_total"] != kPartitions || coverage["partitions_answered"] != searched_count ||
      coverage["degraded"].size() != kPartitions - searched_count)
    run_.broken(Invariant::kHonest, name + ": coverage does not add up: " + coverage.dump());
  if (!whole && !asked.allows_partial) run_.broken(Invariant::kHonest, name + " is partial, which it does not allow");
  if (!whole && asked.must_be_whole) run_.broken(Invariant::kWhole, name + ": " + coverage.dump());
  if (!whole && answer["cache"] == "hit") run_.broken(Invariant::kCached, name + ": a degraded answer was cached");
  if (searched_count == 0) run_.broken(Invariant::kHonest, name + ": a 200 of nothing");

  std::vector<Shown> shown;
  for (const json& hit : answer["hits"])
    shown.push_back({hit["id"].get<std::string>(),
                     static_cast<topk::Score>(std::llround(hit["score"].get<double>() * scoring::kScoreScale))});
  std::string why = "there is no such generation";
  for (const Published& one : collection_.generations()) {
    if (answer["generation"] != one.manifest.generation) continue;
    const auto expected = Collection::expected(one, asked.words, asked.mode, searched);
    const std::string difference = differs(shown, expected, asked.offset, asked.k, !whole);
    const json& total = answer["total"];
    const bool exact = total["relation"] == "eq";
    const auto all = Collection::expected(one, asked.words, asked.mode, std::vector<bool>(kPartitions, true)).size();
    if (!difference.empty())
      why = difference;
    else if (exact ? (!whole || total["value"] != all) : total["value"] > all)
      why = "total is " + total.dump() + ", of " + std::to_string(all);
    else if (asked.must_be_of != nullptr && (asked.must_be_of != &one || !whole))
      return run_.broken(Invariant::kRecovered, name + " is not whole, or of another generation: " + body);
    else
      return;
  }
  run_.broken(Invariant::kRight, name + ": " + why + ": " + body);
}

void Clients::expect_all_ended() {
  if (!waiting_.empty()) run_.broken(Invariant::kOnce, waiting_.begin()->second->name() + " was never answered");
}

}  // namespace frond::simulation
