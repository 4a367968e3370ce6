#include "tools/papers/intersect/list_linearity.h"

#include <algorithm>
#include <cmath>

#include "tools/bench/parallel.h"
#include "tools/papers/intersect/list_form.h"

namespace frond::tools::papers {

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
