#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include "common/base/deadline.h"
#include "common/postings/list_builder.h"
#include "leaf/engines.h"
#include "tools/bench/measure.h"
#include "tools/papers/intersect/intersection_timing.h"
#include "tools/papers/intersect/list_form.h"
#include "tools/papers/intersect/list_search.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

IntersectionTiming timing_of(std::size_t queries, const IntersectionOptions& options,
                             const std::function<void(std::size_t)>& answer) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds, responses(options.rounds * queries);
  for (unsigned round = 0; round < options.rounds; ++round) {
    const auto before = Clock::now();
    in_parallel(options.threads, queries, [&](std::size_t q) {
      const auto start = Clock::now();
      answer(q);
      responses[round * queries + q] = seconds_since(start) * 1e3;
    });
    seconds.push_back(seconds_since(before));
  }
  const Distribution response = distribution_of(std::move(responses));
  IntersectionTiming timing;
  timing.queries = rate_of(std::move(seconds), static_cast<double>(queries));
  timing.response_ms = response.mean;
  timing.response_p99_ms = response.p99;
  timing.batch_queries = 1;
  return timing;
}

template <class Search>
void intersect(std::span<const ListView> lists, std::vector<DocId>& found) {
  found.clear();
  for (std::uint32_t at = 0; at < lists[0].count; ++at) found.push_back(Search::docid(lists[0], at));
  for (const ListView& list : lists.subspan(1))
    std::erase_if(found, [&](DocId docid) { return !Search::holds(list, docid, {0, list.count}); });
}

using Intersect = void (*)(std::span<const ListView>, std::vector<DocId>&);
Intersect intersect_by(Method method) {
  if (!needs_no_kernel(method)) return nullptr;
  switch (method.kind) {
    case Kind::kBinary:
    case Kind::kMergeFind:
      return intersect<BinarySearch>;
    case Kind::kInterpolation:
      return intersect<Interpolation>;
    case Kind::kLinearRegression:
      return intersect<RegressionBounds>;
    case Kind::kHashSegmentation:
      return intersect<HashSegmentation>;
    case Kind::kLrc:
      return intersect<LrcSearch>;
    case Kind::kLrcSeg:
      return intersect<SegmentSearch<true>>;
    case Kind::kSegLrc:
      return intersect<SegmentSearch<false>>;
    case Kind::kHsLrc:
      return intersect<BucketSearch>;
    case Kind::kBlocks:
    case Kind::kParaPFor:
      break;
  }
  return nullptr;
}

}  // namespace

Result<IntersectionTiming> time_on_cpu(const IntersectionSet& set, Method method, const IntersectionOptions& options) {
  const Intersect by = intersect_by(method);
  if (by == nullptr) return Error(Code::kInvalid, name_of(method) + ": there are only kernels for it");
  std::vector<std::optional<ListForm>> forms(set.lists.size());
  in_parallel(options.threads, set.lists.size(),
              [&](std::size_t l) { forms[l].emplace(method, set.lists[l], set.documents); });
  std::size_t bytes = 0;
  std::vector<ListView> views;
  for (const auto& form : forms) {
    views.push_back(form->at(form->bytes().data()));
    bytes += form->bytes().size() + sizeof(ListView);
  }
  const auto answer = [&](std::size_t q, std::vector<DocId>& found) {
    std::vector<ListView> lists;
    for (const std::uint32_t list : set.queries[q]) lists.push_back(views[list]);
    std::sort(lists.begin(), lists.end(), [](const ListView& a, const ListView& b) { return a.count < b.count; });
    by(lists, found);
  };
  std::atomic<std::size_t> wrong{0};
  in_parallel(options.threads, set.queries.size(), [&](std::size_t q) {
    std::vector<DocId> found;
    answer(q, found);
    wrong += found != set.answers[q];
  });
  if (wrong > 0) return Error(Code::kCorrupt, std::to_string(wrong) + " wrong answers");
  IntersectionTiming timing = timing_of(set.queries.size(), options, [&](std::size_t q) {
    thread_local std::vector<DocId> found;
    answer(q, found);
  });
  timing.index_bytes = bytes;
  return timing;
}

Result<IntersectionTiming> time_cpu_engine(const IntersectionSet& set, const IntersectionOptions& options) {
  const auto engine = FROND_TRY(leaf::engine_named(leaf::kDefaultEngine));
  const std::vector<std::uint32_t> lengths(set.documents, 100);
  const scoring::CollectionStatistics statistics{set.documents, std::uint64_t{100} * set.documents};
  const scoring::Bm25Parameters parameters;
  std::vector<leaf::lists::ListLease> leases(set.lists.size());
  std::atomic<std::size_t> wrong{0};
  in_parallel(options.threads, set.lists.size(), [&](std::size_t l) {
    const postings::ListBuilder builder(*codec::codec_named(codec::kDefaultCodec), lengths, parameters.b,
                                        statistics.average_length());
    auto list = std::make_shared<leaf::lists::List>();
    std::vector<ByteView> segments;
    for (auto& blob : builder.build(set.lists[l], std::vector<Frequency>(set.lists[l].size(), 1))) {
      auto padded = std::make_shared<ByteBuffer>(std::move(blob));
      const std::size_t size = padded->size();
      padded->resize(size + codec::kReadSlack);
      segments.push_back(ByteView(*padded).first(size));
      list->bytes += size;
      list->owners.push_back(std::move(padded));
    }
    auto opened = postings::PostingList::open(segments);
    if (opened)
      list->postings = *std::move(opened);
    else
      ++wrong;
    leases[l] = std::move(list);
  });
  if (wrong > 0) return Error(Code::kCorrupt, "lists that can't be opened");
  const SteadyClock clock;
  const auto search = [&](std::size_t q) {
    leaf::engine::Plan plan{.mode = leaf::engine::Mode::kAnd,
                            .k = 10,
                            .terms = {},
                            .lengths = lengths,
                            .partition = 1,
                            .norm = scoring::length_norm(parameters, statistics)};
    for (const std::uint32_t list : set.queries[q]) {
      const float weight = scoring::term_weight(parameters, statistics, set.lists[list].size(), 1);
      plan.terms.push_back(
          {leases[list], weight,
           scoring::BoundScale(weight, parameters, statistics, {parameters.b, statistics.average_length()})});
    }
    return engine->search(std::span(&plan, 1), clock);
  };
  in_parallel(options.threads, set.queries.size(), [&](std::size_t q) {
    const auto got = search(q);
    wrong += !got[0] || got[0]->matches != set.answers[q].size();
  });
  if (wrong > 0) return Error(Code::kCorrupt, std::to_string(wrong) + " wrong answers of the CPU engine");
  IntersectionTiming timing = timing_of(set.queries.size(), options, [&](std::size_t q) { (void)search(q); });
  for (const auto& lease : leases) timing.index_bytes += lease->bytes;
  return timing;
}

}  // namespace frond::tools::papers
