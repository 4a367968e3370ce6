#pragma once
// What the facets of a search may have in all, and how much of it is left: buckets, and bytes of a reply. Whether a
// search is refused depends on its buckets alone, not on the order in which partitions are counted.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/query/facets/facet.h"
#include "common/query/facets/facet_counts.h"

namespace frond::leaf::collect {

// What the facets of a search may take in memory while a partition is counted, beside its keywords: their counters, and
// of their clauses what each leaves out.
inline constexpr std::size_t kMaxCountingBytes = std::size_t{128} << 20;
// That these need more: kInvalid.
Error too_many_bytes(const std::string& what, std::size_t bytes);

// One thread.
class FacetRoom {
 public:
  FacetRoom(std::size_t max_buckets, std::size_t max_bytes) : max_buckets_(max_buckets), max_bytes_(max_bytes) {}

  std::size_t buckets_left() const { return max_buckets_ - buckets_; }
  std::size_t bytes() const { return bytes_; }  // taken so far
  // Takes room for one more bucket of the facet, of a number or of a word. kInvalid: there is none; the message names
  // the facet and the limit.
  Result<void> take_number(const query::Facet& facet) { return take(facet, kNumberBytes); }
  Result<void> take_word(const query::Facet& facet, std::string_view word) { return take(facet, bytes_of(word)); }
  // Takes room for the facet in so many buckets of another one, without its own buckets.
  Result<void> take_inside(const query::Facet& facet, std::size_t buckets);
  // The same for all buckets of the facet, and all that is in them.
  Result<void> take_all(const query::Facet& facet, const query::FacetCounts& counts);
  // That there are too many of the facet's and of those before it.
  Error too_many_buckets(const query::Facet& facet) const;

 private:
  // In a message each bucket has a count of 8 bytes, and a key likewise, or a pointer to a word that ends with a zero
  // and is padded to 8 bytes.
  static constexpr std::size_t kNumberBytes = 16;
  static std::size_t bytes_of(std::string_view word) { return kNumberBytes + (word.size() / 8 + 1) * 8; }
  // In a message 88 for a facet inside and 288 for a sum; in memory more.
  static constexpr std::size_t kInsideBytes = std::max(std::size_t{88 + 288}, sizeof(query::FacetCounts));
  Result<void> take(const query::Facet& facet, std::size_t bytes);
  Result<void> take_bytes(const query::Facet& facet, std::size_t bytes);

  const std::size_t max_buckets_, max_bytes_;
  std::size_t buckets_ = 0, bytes_ = 0;
};

}  // namespace frond::leaf::collect
