#pragma once
// Made-up codes of columns (engine/document_codes.h) for tests.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/collections/indexed_collection.h"

namespace frond::leaf::gpu {

class ArrayOfCodes final : public engine::DocumentCodes {
 public:
  // With `places` codes are by value.
  ArrayOfCodes(std::vector<std::uint64_t> all, std::uint64_t codes,
               std::shared_ptr<const ArrayOfCodes> places = nullptr)
      : DocumentCodes(std::make_shared<int>(), static_cast<std::uint32_t>(all.size()), codes, places),
        all_(std::move(all)),
        places_(std::move(places)) {}
  void write(DocId first, std::span<std::byte> out) const override {
    for (std::size_t i = 0; i < out.size() / width(); ++i) std::memcpy(&out[i * width()], &all_[first + i], width());
  }
  std::uint64_t of(DocId docid) const { return all_[docid]; }
  std::vector<std::uint64_t> all_of(DocId docid) const {
    if (places_ == nullptr) return {all_[docid]};
    const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(places_->of(docid)),
               end = all_.begin() + static_cast<std::ptrdiff_t>(places_->of(docid + 1));
    return begin == end ? std::vector<std::uint64_t>{0} : std::vector<std::uint64_t>(begin, end);
  }

 private:
  const std::vector<std::uint64_t> all_;
  const std::shared_ptr<const ArrayOfCodes> places_;
};

// A column of a collection, assigned to its partitions as the documents are. Some codes are much more frequent than
// others.
inline std::vector<std::shared_ptr<const ArrayOfCodes>> column_of(const support::IndexedCollection& index,
                                                                  std::uint64_t codes, std::uint64_t seed) {
  std::vector<std::shared_ptr<const ArrayOfCodes>> parts;
  for (const auto& partition : index.partitions()) {
    std::vector<std::uint64_t> all;
    for (DocId docid = 0; docid < partition.lengths.size(); ++docid) {
      support::Random random(seed + partition.placement.ordinal(docid));
      const std::uint64_t most = random.below(3) == 0 ? std::min<std::uint64_t>(codes, 3) : codes;
      const std::uint64_t drawn = std::uint64_t{random.below(1u << 31)} << 31 | random.below(1u << 31);
      all.push_back(drawn % most);
    }
    parts.push_back(std::make_shared<ArrayOfCodes>(std::move(all), codes));
  }
  return parts;
}

// The same with none to five different codes a document, above 0.
inline std::vector<std::shared_ptr<const ArrayOfCodes>> column_of_several(const support::IndexedCollection& index,
                                                                          std::uint64_t codes, std::uint64_t seed) {
  std::vector<std::shared_ptr<const ArrayOfCodes>> parts;
  for (const auto& partition : index.partitions()) {
    std::vector<std::uint64_t> all, places;
    for (DocId docid = 0; docid < partition.lengths.size(); ++docid) {
      support::Random random(seed + partition.placement.ordinal(docid));
      places.push_back(all.size());
      std::set<std::uint64_t> own;
      for (std::uint64_t many = random.below(6); many-- > 0;) own.insert(1 + random.below(codes - 1));
      all.insert(all.end(), own.begin(), own.end());
    }
    places.push_back(all.size());
    auto where = std::make_shared<ArrayOfCodes>(std::move(places), std::uint64_t{1} << 32);
    parts.push_back(std::make_shared<ArrayOfCodes>(std::move(all), codes, std::move(where)));
  }
  return parts;
}

// What `whole`, all hits of the plan, has of what the plan counts, which are all ArrayOfCodes.
inline std::vector<std::vector<std::uint32_t>> counts_of(const engine::Plan& plan, const engine::Outcome& whole) {
  std::vector<std::vector<std::uint32_t>> counts;
  for (const engine::CountedCodes& counted : plan.counted) {
    auto& own = counts.emplace_back(counted.counters());
    std::array<std::uint64_t, engine::CodeSums::kNumbers> sums{};
    for (const topk::Hit& hit : whole.hits) {
      const auto docid = static_cast<DocId>((hit.ordinal - plan.placement.base) / plan.placement.stride);
      for (const std::uint64_t code : static_cast<const ArrayOfCodes&>(*counted.codes).all_of(docid)) {
        if (counted.sums) {
          if (code == 0) ++own[engine::CodeSums::kMissing];
          if (code == 0) continue;
          const std::array<std::uint64_t, 5> more{1, code & 0xffff'ffff, code >> 32, code, ~code};
          for (std::size_t i = 0; i < 5; ++i) sums[i] = i < 3 ? sums[i] + more[i] : std::max(sums[i], more[i]);
          continue;
        }
        const auto above = std::ranges::upper_bound(counted.bounds, code);
        ++own[counted.bounds.empty() ? code : static_cast<std::uint64_t>(above - counted.bounds.begin())];
      }
    }
    for (std::size_t i = 0; counted.sums && i < 2 * sums.size(); ++i)
      own[engine::CodeSums::kFirst + i] = static_cast<std::uint32_t>(sums[i / 2] >> 32 * (i % 2));
  }
  return counts;
}

}  // namespace frond::leaf::gpu
