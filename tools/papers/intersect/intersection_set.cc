#include "tools/papers/intersect/intersection_set.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tools/bench/measure.h"
#include "tools/papers/intersect/list_form.h"
#include "tools/synth/document_model.h"
#include "tools/synth/profile.h"
#include "tools/synth/query_model.h"
#include "tools/synth/random.h"

namespace frond::tools::papers {
using namespace bench;
namespace {

using synth::Random;

constexpr std::uint64_t kOfPair = 1001;  // purpose of the random numbers (tools/synth/random.h)

// Draws documents of [first, end), each with the same probability, by geometric gaps.
void append_run(Random& random, double probability, std::uint64_t first, std::uint64_t end, std::vector<DocId>& out) {
  if (probability >= 1) {
    for (std::uint64_t docid = first; docid < end; ++docid) out.push_back(static_cast<DocId>(docid));
    return;
  }
  if (probability <= 0) return;
  const double scale = 1 / std::log1p(-probability);
  for (double at = static_cast<double>(first) + std::floor(std::log(random.positive_unit()) * scale);
       at < static_cast<double>(end); at += 1 + std::floor(std::log(random.positive_unit()) * scale))
    out.push_back(static_cast<DocId>(at));
}

void answer(IntersectionSet& set, unsigned threads) {
  set.answers.resize(set.queries.size());
  in_parallel(threads, set.queries.size(), [&](std::size_t q) {
    std::vector<std::uint32_t> lists(set.queries[q].begin(), set.queries[q].end());
    std::sort(lists.begin(), lists.end(),
              [&](std::uint32_t a, std::uint32_t b) { return set.lists[a].size() < set.lists[b].size(); });
    std::vector<DocId> left = set.lists[lists[0]];
    for (std::size_t l = 1; l < lists.size(); ++l) {
      std::vector<DocId> both;
      const std::vector<DocId>& other = set.lists[lists[l]];
      std::set_intersection(left.begin(), left.end(), other.begin(), other.end(), std::back_inserter(both));
      left = std::move(both);
    }
    set.answers[q] = std::move(left);
  });
}

}  // namespace

std::uint64_t IntersectionSet::postings() const {
  std::uint64_t sum = 0;
  for (const auto& list : lists) sum += list.size();
  return sum;
}

double IntersectionSet::postings_a_query() const {
  double sum = 0;
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (const auto list : queries[q]) sum += static_cast<double>(lists[list].size());
  return sum / static_cast<double>(queries.size());
}

double IntersectionSet::computations_a_query() const {
  double sum = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::size_t shortest = lists[queries[q][0]].size();
    for (const auto list : queries[q]) shortest = std::min(shortest, lists[list].size());
    sum += static_cast<double>(shortest);
  }
  return sum / static_cast<double>(queries.size());
}

Result<IntersectionSet> make_intersection_set(const IntersectionSetOptions& options) {
  const synth::Profile* profile = FROND_TRY(synth::profile_named(options.profile));
  IntersectionSet set;
  set.name = options.profile + (options.order == synth::DocidOrder::kInput ? "/input" : "/random");
  set.documents = options.documents > 0 ? options.documents : profile->documents;
  const synth::QuerySet drawn = synth::draw_queries(*profile, set.documents, options.queries, options.seed);
  for (const auto& query : drawn.queries) set.queries.add(query);
  const synth::CollectionSize size{profile, set.documents, options.order, options.seed};
  set.lists.resize(drawn.list_lengths.size());
  draw_lists(size, drawn.list_lengths, options.threads, [&](std::size_t l, synth::Postings postings) {
    set.lists[l] = std::move(postings.docids);
    set.lists[l].shrink_to_fit();
  });
  answer(set, options.threads);
  return set;
}

IntersectionSet make_pair_set(std::uint32_t count, std::uint64_t seed, unsigned threads) {
  IntersectionSet set;
  set.name = "pair/" + std::to_string(count);
  set.documents = 4 * count;
  set.lists.resize(2);
  in_parallel(threads, 2, [&](std::size_t l) {
    Random random(seed, kOfPair, l);
    append_run(random, 0.25, 0, set.documents, set.lists[l]);
  });
  set.queries.add(std::vector<std::uint32_t>{0, 1});
  answer(set, threads);
  return set;
}

using namespace bench;

void draw_lists(const synth::CollectionSize& size, std::span<const std::uint32_t> lengths, unsigned threads,
                const std::function<void(std::size_t, synth::Postings)>& keep) {
  const std::vector<synth::Window> windows = synth::windows_of(size);
  std::vector<synth::WindowDocuments> documents(windows.size());
  in_parallel(threads, windows.size(), [&](std::size_t w) {
    std::vector<std::uint32_t> document_lengths;
    documents[w] = synth::draw_documents(size, windows[w], document_lengths);
  });
  in_parallel(threads, lengths.size(), [&](std::size_t l) {
    if (lengths[l] == 0) return;
    const synth::SyntheticList list(size, static_cast<std::uint32_t>(l), lengths[l]);
    keep(l, synth::draw_list(list, documents));
  });
}

using namespace bench;
namespace {

struct Linearity {
  double contraction = 0, r_squared = 0;
};

Linearity linearity_of_list(const std::vector<DocId>& docids, std::uint32_t documents) {
  const ListForm form({Kind::kLinearRegression, 0}, docids, documents);
  const auto view = form.at(form.bytes().data());
  const auto count = static_cast<double>(docids.size());
  double mean = 0;
  for (const DocId docid : docids) mean += docid / count;
  double products = 0, squares = 0, docid_squares = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const double x = static_cast<double>(i) - (count - 1) / 2, y = docids[i] - mean;
    products += x * y;
    squares += x * x;
    docid_squares += y * y;
  }
  return {std::min(1.0, static_cast<double>(std::uint64_t{view.left} + view.right) / count),
          products * products / (squares * docid_squares)};
}

}  // namespace

std::vector<LinearityOfLists> linearity_of(const IntersectionSet& set, unsigned threads) {
  std::vector<Linearity> each(set.lists.size());
  in_parallel(threads, each.size(), [&](std::size_t l) {
    if (set.lists[l].size() > 2) each[l] = linearity_of_list(set.lists[l], set.documents);
  });
  std::vector<LinearityOfLists> classes{{3, 100'000},         {100'000, 200'000}, {200'000, 400'000},
                                        {400'000, 600'000},   {600'000, 800'000}, {800'000, 1'000'000},
                                        {1'000'000, 1u << 31}};
  for (std::size_t l = 0; l < each.size(); ++l)
    for (LinearityOfLists& some : classes)
      if (set.lists[l].size() >= some.begin && set.lists[l].size() < some.end) {
        ++some.lists;
        some.contraction += each[l].contraction;
        some.r_squared += each[l].r_squared;
      }
  std::erase_if(classes, [](const LinearityOfLists& some) { return some.lists == 0; });
  for (LinearityOfLists& some : classes) {
    some.contraction /= static_cast<double>(some.lists);
    some.r_squared /= static_cast<double>(some.lists);
  }
  return classes;
}

}  // namespace frond::tools::papers
