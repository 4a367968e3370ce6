#pragma once
// Made-up codes of columns (engine/document_codes.h) for tests.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/collections/indexed_collection.h"

namespace frond::leaf::gpu {

class ArrayOfCodes final : public engine::DocumentCodes {
 public:
  ArrayOfCodes(std::vector<std::uint64_t> all, std::uint64_t codes)
      : DocumentCodes(std::make_shared<int>(), static_cast<std::uint32_t>(all.size()), codes), all_(std::move(all)) {}
  void write(DocId first, std::span<std::byte> out) const override {
    for (std::size_t i = 0; i < out.size() / width(); ++i) std::memcpy(&out[i * width()], &all_[first + i], width());
  }
  std::uint64_t of(DocId docid) const { return all_[docid]; }

 private:
  const std::vector<std::uint64_t> all_;
};

// A column of a collection, dealt to its partitions as the documents are. Some codes are much more frequent than
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

}  // namespace frond::leaf::gpu
