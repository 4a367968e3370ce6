#include "leaf/lists/bucket_index.h"

#include <array>

namespace frond::leaf::lists {
namespace {

// One document of so many is in the list at least; and in a list with a bit vector. Measured:
// docs/measurements/clauses.md.
constexpr std::uint64_t kSparse = 128, kDense = 8;

bool is_dense(const postings::PostingList& list) { return list.count() * kDense > list.segments().back().last_docid(); }

}  // namespace

std::size_t BucketIndex::bytes_for(const postings::PostingList& list) {
  if (list.blocks() < 2) return 0;
  const std::uint64_t last = list.segments().back().last_docid();
  if (list.count() * kSparse <= last) return 0;
  const std::size_t most = sizeof(BucketIndex) + 3 * sizeof(std::uint64_t);
  if (is_dense(list)) return most + ((last >> kDenseShift) + 2) * (sizeof(std::uint32_t) + sizeof(std::uint64_t));
  return most + ((last >> kShift) + 2) * sizeof(std::uint32_t) + list.count() + codec::kReadSlack;
}

BucketIndex::BucketIndex(const postings::PostingList& list) : last_(list.segments().back().last_docid()) {
  if (is_dense(list))
    bits_.resize((last_ >> kDenseShift) + 1);
  else
    lows_.resize(list.count() + codec::kReadSlack);
  begins_.resize((last_ >> (bits_.empty() ? kShift : kDenseShift)) + 2);
}

std::unique_ptr<const BucketIndex> BucketIndex::build(const postings::PostingList& list) {
  if (bytes_for(list) == 0) return nullptr;
  std::unique_ptr<BucketIndex> made(new BucketIndex(list));
  const unsigned shift = made->bits_.empty() ? kShift : kDenseShift;
  std::array<DocId, postings::kBlockLength> docids;
  std::uint32_t posting = 0, bucket = 0;
  for (std::uint32_t block = 0; block < list.blocks(); ++block) {
    if (!list.decode_docids(block, docids)) return nullptr;
    const std::uint32_t size = list.block_size(block);
    for (std::uint32_t i = 0; i < size; ++i, ++posting) {
      const DocId docid = docids[i];
      while (bucket < docid >> shift) made->begins_[++bucket] = posting;
      if (made->bits_.empty())
        made->lows_[posting] = static_cast<std::uint8_t>(docid);
      else
        made->bits_[bucket] |= std::uint64_t{1} << docid % 64;
    }
  }
  made->begins_[++bucket] = posting;
  return made;
}

}  // namespace frond::leaf::lists
