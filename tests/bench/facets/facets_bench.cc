// How long a facet of many different keywords holds a broker's loop, with four leaves: for each thing that it does
// before others have their turn again, the longest time of a processor, and for the merge also all of it.
// Not run by ctest: build/<preset>/bench/facets_bench
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "broker/http/answers/answer_json.h"
#include "broker/merge/facet_merge.h"
#include "common/schema/schema_json.h"
#include "common/wire/codec.h"

namespace frond {
namespace {

constexpr std::size_t kLeaves = 4;

double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// The longest and the sum of several spans.
struct Spans {
  double longest = 0, all = 0;
  template <class Action>
  auto time(const Action& action) {
    const double begun = processor_ms();
    auto result = action();
    const double took = processor_ms() - begun;
    longest = std::max(longest, took);
    all += took;
    return result;
  }
};

// Each keyword is on one leaf, or on all of them.
std::vector<ByteBuffer> replies_of(std::size_t keywords, bool everywhere) {
  std::mt19937 random(1);
  std::vector<wire::SearchReply> replies(kLeaves);
  for (wire::SearchReply& reply : replies) {
    reply.request_id = 1;
    reply.has_or = true;
    reply.facets.push_back({.with_value = 10 * keywords});
  }
  for (std::size_t i = 0; i < keywords; ++i) {
    const std::size_t only = random() % kLeaves;
    for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) {
      if (!everywhere && leaf != only) continue;
      replies[leaf].facets[0].words.push_back(fmt::format("keyword/{:09}/x", 7 * i));
      replies[leaf].facets[0].counts.push_back(1 + random() % 5);
    }
  }
  std::vector<ByteBuffer> bytes;
  for (wire::SearchReply& reply : replies) bytes.push_back(wire::encode(wire::Reply(std::move(reply))));
  return bytes;
}

void measure(std::size_t keywords, bool everywhere, bool show) {
  const auto schema = std::make_shared<const schema::Schema>(
      *schema::parse_schema(R"({"fields":{"title":{"type":"text"},"tag":{"type":"keyword"}}})"));
  const broker::merge::Arrangement arrangement{{}, *query::parse_facets("tag:10"), 1'000'000, schema};
  wire::SearchRequest request;
  request.mode = wire::Mode::kOr;
  request.clause = "{}";
  const std::vector<ByteBuffer> frames = replies_of(keywords, everywhere);
  Spans received, merged, rendered;
  std::vector<wire::SearchReply> replies;
  for (const ByteBuffer& frame : frames)
    replies.push_back(received.time([&] {
      auto decoded = wire::decode_reply(frame);
      auto reply = std::get<wire::SearchReply>(*std::move(decoded));
      if (!broker::merge::check(request, reply, arrangement)) std::abort();
      return reply;
    }));
  broker::merge::FacetMerge merge(arrangement, broker::merge::take_counts(replies, arrangement.facets.size()));
  while (!*merged.time([&] { return merge.step(broker::merge::kBucketsOfAStep); })) continue;
  const std::string json = rendered.time([&] {
    std::string out;
    broker::http::append_facets(out, merge.take(), arrangement);
    return out;
  });
  if (!show) return;
  fmt::print(
      "{:>9} keywords, each on {}: a reply {:5.1f} ms, a step {:5.2f} ms, all steps {:6.1f} ms, JSON {:.2f} ms\n",
      keywords, everywhere ? "all leaves" : "one leaf  ", received.longest, merged.longest, merged.all, rendered.all);
}

}  // namespace
}  // namespace frond

int main() {
  for (const std::size_t keywords : {10'000, 100'000, 1'000'000})
    for (const bool everywhere : {false, true})
      for (int round = 0; round < 3; ++round) frond::measure(keywords, everywhere, round == 2);  // memory is warm then
}
