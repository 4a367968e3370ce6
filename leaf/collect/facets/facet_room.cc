#include "leaf/collect/facets/facet_room.h"

#include <string>

namespace frond::leaf::collect {

Error too_many_bytes(const std::string& what, std::size_t bytes) {
  return {Code::kInvalid, what + " need " + std::to_string(bytes) + " bytes to count a partition, more than " +
                              std::to_string(kMaxCountingBytes)};
}

Error FacetRoom::too_many_buckets(const query::Facet& facet) const {
  return {Code::kInvalid, "the facets up to " + schema::quote(facet.name) + " have more than " +
                              std::to_string(max_buckets_) +
                              " different buckets (--max-facet-buckets, of all facets of a search)"};
}

Result<void> FacetRoom::take(const query::Facet& facet, std::size_t bytes) {
  if (buckets_ == max_buckets_) return too_many_buckets(facet);
  FROND_TRY(take_bytes(facet, bytes));
  ++buckets_;
  return {};
}

Result<void> FacetRoom::take_bytes(const query::Facet& facet, std::size_t bytes) {
  if (bytes > max_bytes_ - bytes_)
    return Error(Code::kInvalid, "the facets up to " + schema::quote(facet.name) + " have more than " +
                                     std::to_string(max_bytes_ >> 20) +
                                     " MiB of buckets, too much for one answer: ask for them one by one, or filter");
  bytes_ += bytes;
  return {};
}

Result<void> FacetRoom::take_inside(const query::Facet& facet, std::size_t buckets) {
  return take_bytes(facet, buckets * kInsideBytes);
}

Result<void> FacetRoom::take_all(const query::Facet& facet, const query::FacetCounts& counts) {
  for (std::size_t i = 0; i < counts.keys.size(); ++i) FROND_TRY(take_number(facet));
  for (const std::string& word : counts.words) FROND_TRY(take_word(facet, word));
  for (std::size_t i = 0; i < counts.nested.size(); ++i) {
    const query::Facet& inside = facet.inside[i % facet.inside.size()];
    FROND_TRY(take_inside(inside, 1));
    FROND_TRY(take_all(inside, counts.nested[i]));
  }
  return {};
}

}  // namespace frond::leaf::collect
