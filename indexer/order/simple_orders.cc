#include "indexer/order/simple_orders.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "indexer/runs/document_spool.h"

namespace frond::indexer::order {
namespace {

// Steele, Lea, Flood 2014.
class SplitMix64 {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace

Result<std::vector<std::uint32_t>> url_order(const std::filesystem::path& spool, std::uint32_t documents,
                                             std::uint64_t max_bytes) {
  runs::SpoolReader reader = FROND_TRY(runs::SpoolReader::open(spool));
  std::string urls;
  std::vector<std::uint64_t> ends;
  ends.reserve(documents);
  while (const auto frame = FROND_TRY(reader.next()))
    for (const partition::StoredDocument& document : frame->documents()) {
      urls += document.url;
      ends.push_back(urls.size());
      // A string doubles when it grows.
      if (2 * urls.size() + 12 * std::uint64_t{documents} > max_bytes)
        return Error(Code::kInvalid, "the URLs of " + std::to_string(ends.size()) + " of " + std::to_string(documents) +
                                         " documents take half of the memory limit; raise --memory-limit");
    }
  if (ends.size() != documents)
    return Error(Code::kCorrupt, spool.string() + ": " + std::to_string(ends.size()) + " documents instead of " +
                                     std::to_string(documents));
  const auto url = [&](std::uint32_t document) {
    const std::uint64_t begin = document ? ends[document - 1] : 0;
    return std::string_view(urls).substr(begin, ends[document] - begin);
  };
  std::vector<std::uint32_t> order(documents);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int compared = url(a).compare(url(b));
    return compared != 0 ? compared < 0 : a < b;
  });
  return order;
}

std::vector<std::uint32_t> random_order(std::uint32_t documents) {
  std::vector<std::uint32_t> order(documents);
  std::iota(order.begin(), order.end(), 0u);
  SplitMix64 random;
  for (std::uint32_t left = documents; left > 1; --left) std::swap(order[left - 1], order[random.next() % left]);
  return order;
}

}  // namespace frond::indexer::order
