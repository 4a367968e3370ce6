#pragma once
// Random messages within the limits, often with empty lists, empty texts and extreme numbers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <random>
#include <string>

#include "common/wire/messages.h"

namespace frond::wire {

inline constexpr int kRounds = 2000;  // of random messages

inline std::uint64_t printed_seed() {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %lu\n", static_cast<unsigned long>(seed));
  return seed;
}

class RandomMessages {
 public:
  explicit RandomMessages(std::uint64_t seed) : random_(seed) {}

  Request request() {
    switch (below(4)) {
      case 0:
        return search_request();
      case 1:
        return fetch_request();
      case 2:
        return CancelRequest{number()};
      default:
        return HelloRequest{number(), coin() ? broker() : Broker()};
    }
  }
  Reply reply() {
    switch (below(4)) {
      case 0:
        return search_reply();
      case 1:
        return fetch_reply();
      case 2:
        return hello_reply();
      default:
        return ErrorReply{number(), text(200), reason()};
    }
  }

  std::uint64_t below(std::uint64_t end) { return random_() % end; }

 private:
  std::uint64_t number() {
    switch (below(4)) {
      case 0:
        return 0;
      case 1:
        return std::numeric_limits<std::uint64_t>::max();
      case 2:
        return below(1000);
      default:
        return random_();
    }
  }
  std::uint32_t number32() { return static_cast<std::uint32_t>(number()); }
  std::size_t count(std::size_t limit) { return below(4) == 0 ? 0 : below(std::min<std::size_t>(limit, 40) + 1); }
  bool coin() { return below(2) == 0; }
  UnsearchedReason reason() { return static_cast<UnsearchedReason>(below(std::size(kUnsearchedReasons))); }
  std::string text(std::size_t limit, std::size_t least = 0) {
    std::string made(std::max(least, count(limit)), '\0');
    for (char& c : made) c = static_cast<char>(random_());  // any bytes: the codec promises nothing about UTF-8
    return made;
  }
  std::chrono::microseconds budget() { return std::chrono::microseconds(number32()); }

  Broker broker() {
    return {std::max<std::uint64_t>(1, number()),  text(40), {number(), number()},
            std::chrono::milliseconds(number32()), coin(),   coin() ? "docs" : ""};
  }
  scoring::Bm25Parameters bm25() {
    return {static_cast<double>(below(401)) / 100, static_cast<double>(below(101)) / 100};
  }
  SearchRequest search_request() {
    SearchRequest made{number(), number()};
    made.mode = static_cast<Mode>(below(3));
    made.processor = static_cast<Processor>(below(4));
    made.rank = static_cast<Rank>(below(2));
    if (coin()) made.bm25 = bm25();
    if (coin()) made.profile_from = std::chrono::microseconds(below(std::uint64_t{1} << 32));
    if (coin()) made.trace = {number(), number()};
    if (coin())
      made.client = {static_cast<std::uint32_t>(number()), 1 + static_cast<std::uint32_t>(number() % kMaxClientWeight)};
    if (coin()) made.prior_weight = static_cast<std::uint32_t>(below(scoring::kMaxPriorWeight + 1));
    made.profile = coin();
    made.depth = static_cast<std::uint32_t>(below(10'001));
    made.auto_needs = number32();
    made.budget = budget();
    made.terms.resize(count(40));
    for (auto& term : made.terms) term = {text(60, 1), static_cast<std::uint32_t>(1 + below(9))};
    made.partitions.resize(count(40));
    for (auto& partition : made.partitions) partition = number32();
    made.content = number();
    if (coin()) made.show.count = static_cast<std::uint32_t>(below(std::min<std::uint64_t>(made.depth, 1000) + 1));
    if (made.show.count != 0) {
      made.show.offset = static_cast<std::uint32_t>(below(made.depth - made.show.count + 1));
      made.show.fields = static_cast<std::uint8_t>(below(kAllFields + 1));
      made.show.columns = names();
      made.show.explain = coin();
    }
    if (coin()) made.clause = text(300);
    if (coin()) made.filter = text(300);
    made.exact_total = coin();
    made.near.resize(below(3));
    for (query::NearWord& one : made.near) {
      one = {text(40), text(40, 1), static_cast<std::uint32_t>(below(3)), coin(), number32()};
      one.least_df = number();
      one.most = static_cast<std::uint32_t>(below(query::kMaxNearTerms + 1));
    }
    if (made.clause.empty()) return made;
    if (coin()) made.sort = text(300, 1);
    if (!made.sort.empty() && coin()) made.after = {text(100), number()};
    if (coin()) made.facets = text(300);
    return made;
  }
  std::vector<std::string> names() {
    std::vector<std::string> made(count(frond::schema::kMaxFields));
    for (auto& one : made) one = text(frond::schema::kMaxFieldNameBytes);
    return made;
  }
  FetchRequest fetch_request() {
    FetchRequest made{number(), number(), budget()};
    made.terms.resize(count(40));
    for (auto& term : made.terms) term = text(60, 1);
    made.ordinals.resize(count(40));
    for (auto& ordinal : made.ordinals) ordinal = number();
    made.content = number();
    made.fields = static_cast<std::uint8_t>(below(kAllFields + 1));
    if (coin()) made.id = text(40, 1);
    made.body_bytes = static_cast<std::uint32_t>(number());
    made.columns = names();
    if (coin() && made.ordinals.size() <= kMaxExplained)
      made.explain = std::make_shared<const SearchRequest>(search_request());
    return made;
  }
  Ranking ranking() {
    Ranking made;
    made.hits.resize(count(40));
    for (auto& hit : made.hits) hit = {number(), static_cast<topk::Score>(below(8))};  // ties
    std::sort(made.hits.begin(), made.hits.end(), topk::better);
    made.hits.erase(std::unique(made.hits.begin(), made.hits.end()), made.hits.end());
    if (coin()) {
      made.sort_bytes.resize(made.hits.size());
      for (auto& one : made.sort_bytes) one = text(3);
      std::sort(made.sort_bytes.begin(), made.sort_bytes.end());
      std::sort(made.hits.begin(), made.hits.end(), [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
      const auto same = [](const auto& a, const auto& b) { return a.ordinal == b.ordinal; };
      made.hits.erase(std::unique(made.hits.begin(), made.hits.end(), same), made.hits.end());
      made.sort_bytes.resize(made.hits.size());
    }
    made.matches = number();
    made.exact = coin();
    return made;
  }
  query::FacetCounts facet_counts(int depth = 1) {
    query::FacetCounts made{number(), number()};
    made.keys.resize(count(20));
    for (auto& one : made.keys) one = number();
    made.words.resize(count(20));
    for (auto& one : made.words) one = text(20);
    if (coin()) made.counts.resize(made.buckets(), number());
    made.values = number();
    made.least = number();
    made.greatest = number();
    for (auto left = below(4); left > 0; --left) made.sum.add_integer(static_cast<std::int64_t>(number()));
    for (auto left = depth < 4 ? below(3) : 0; left > 0; --left) made.nested.push_back(facet_counts(depth + 1));
    return made;
  }
  SearchReply search_reply() {
    SearchReply made{number()};
    if ((made.has_and = coin())) made.and_ranking = ranking();
    if ((made.has_or = coin())) made.or_ranking = ranking();
    made.unsearched.resize(count(40));
    for (auto& one : made.unsearched) one = {number32(), reason()};
    made.profile.resize(count(40));
    for (auto& one : made.profile) one = {number32(), text(10), number(), number(), number(), number()};
    if (coin()) made.documents = fetch_reply().documents;
    made.runs.resize(below(3));
    for (auto& one : made.runs) one = search_run();
    made.facets.resize(below(4));
    for (auto& one : made.facets) one = facet_counts();
    return made;
  }
  SearchRun search_run() {
    SearchRun made{below(2) == 0 ? Mode::kAnd : Mode::kOr, coin(), coin()};
    made.queue = static_cast<RunQueue>(below(std::size(kRunQueues)));
    made.reason = static_cast<RunReason>(below(std::size(kRunReasons)));
    made.stolen = coin();
    made.resident = static_cast<Resident>(below(3));
    for (auto* one : {&made.k, &made.partitions, &made.terms, &made.batch_queries, &made.batch_plans})
      *one = number32();
    for (auto* one :
         {&made.postings, &made.blocks, &made.shortest, &made.second, &made.predicted_cpu_ns, &made.predicted_gpu_ns,
          &made.wait_ns, &made.cpu_ns, &made.build_ns, &made.transfer_ns, &made.kernel_ns, &made.answer_ns})
      *one = number();
    return made;
  }
  FetchReply fetch_reply() {
    FetchReply made{number()};
    made.documents.resize(count(40));
    for (auto& one : made.documents)
      one = {number(),
             coin(),
             text(40),
             text(40),
             text(40),
             text(300),
             reason(),
             text(300),
             coin(),
             coin() ? "{" + text(40) + "}" : "",
             coin() ? "{" + text(40) + "}" : ""};
    return made;
  }
  HelloReply hello_reply() {
    HelloReply made{number(), text(20), text(20), text(10)};
    made.generations.resize(count(5));
    for (auto& one : made.generations) {
      one.generation = number();
      one.partitions_total = static_cast<std::uint32_t>(1 + below(4096));
      one.analyzer = {static_cast<text::Stemmer>(below(3)), coin()};
      if (coin())
        one.analyzer = {static_cast<text::Stemmer>(below(text::kStemmerNames.size())), coin(),
                        text::AnalyzerKind::kStandard2, coin()};
      if (coin()) {
        one.analyzer.kind = text::AnalyzerKind::kStandard3;
        one.analyzer.split_case = coin();
      }
      one.bm25 = bm25();
      one.statistics = {number(), number()};
      one.partitions.resize(count(20));
      for (auto& partition : one.partitions)
        partition = {static_cast<std::uint32_t>(below(one.partitions_total)),
                     {number(), std::max<std::uint64_t>(1, number()), number()}};
      one.content = number();
      one.schema = text(200);
    }
    made.gpu = text(10);
    made.cpu_threads = number32();
    made.queue_depth = number32();
    made.queue_limit = number32();
    made.host_cache_bytes = number();
    made.host_cache_limit = number();
    made.host_cache_hits = number();
    made.host_cache_misses = number();
    made.detail = text(100);
    made.draining = coin();
    made.machine = text(40);
    made.budgets.resize(count(12));
    for (Budget& budget : made.budgets)
      budget = {text(20), number(), coin(), coin(), static_cast<std::int32_t>(below(8)) - 1};
    return made;
  }

  std::mt19937_64 random_;
};

}  // namespace frond::wire
