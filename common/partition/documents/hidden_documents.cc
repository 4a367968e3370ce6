#include "common/partition/documents/hidden_documents.h"

#include <bit>
#include <utility>

#include "common/base/check.h"

namespace frond::partition {

HiddenDocuments::HiddenDocuments(std::uint32_t documents, std::span<const DocId> docids)
    : chunks_(documents / kChunkDocuments + 1), documents_(documents) {
  hide(docids);
}

std::shared_ptr<const HiddenDocuments> HiddenDocuments::all_but(std::uint32_t documents,
                                                                std::span<const std::uint64_t> shown,
                                                                const HiddenDocuments* hidden) {
  std::shared_ptr<HiddenDocuments> all(
      new HiddenDocuments(std::vector<std::shared_ptr<const Chunk>>(documents / kChunkDocuments + 1)));
  all->documents_ = documents;
  for (std::size_t number = 0; number < all->chunks_.size(); ++number) {
    auto chunk = std::make_shared<Chunk>();
    std::size_t count = 0;
    for (std::size_t i = 0; i < kChunkWords; ++i) {
      const std::size_t at = number * kChunkWords + i, first = at * kWordBits;
      if (first >= documents) break;
      std::uint64_t word = ~shown[at] | (hidden == nullptr ? 0 : hidden->word(at));
      if (documents - first < kWordBits) word &= (std::uint64_t{1} << (documents - first)) - 1;
      (*chunk)[i] = word;
      count += static_cast<std::size_t>(std::popcount(word));
    }
    all->count_ += count;
    if (count != 0) all->chunks_[number] = std::move(chunk);
  }
  return all;
}

std::size_t HiddenDocuments::bytes() const {
  std::size_t bytes = sizeof *this + chunks_.size() * sizeof chunks_.front() + documents_ / 8;
  for (const auto& chunk : chunks_) bytes += chunk == nullptr ? 0 : sizeof *chunk;
  return bytes;
}

std::shared_ptr<const HiddenDocuments> HiddenDocuments::with(std::span<const DocId> more) const {
  std::shared_ptr<HiddenDocuments> all(new HiddenDocuments(chunks_));
  all->documents_ = documents_;
  all->count_ = count_;
  all->hide(more);
  return all;
}

void HiddenDocuments::hide(std::span<const DocId> docids) {
  FROND_CHECK(docids.empty() || docids.back() < documents_);
  for (std::size_t i = 0; i < docids.size();) {
    const std::size_t number = docids[i] / kChunkDocuments;
    const auto& old = chunks_[number];
    auto chunk = old ? std::make_shared<Chunk>(*old) : std::make_shared<Chunk>();
    for (; i < docids.size() && docids[i] / kChunkDocuments == number; ++i)
      (*chunk)[docids[i] / kWordBits % kChunkWords] |= std::uint64_t{1} << docids[i] % kWordBits;
    chunks_[number] = std::move(chunk);
  }
  count_ += docids.size();
}

DocId HiddenDocuments::next(DocId from) const {
  for (std::size_t at = from / kWordBits; at < chunks_.size() * kChunkWords;) {
    if (!chunks_[at / kChunkWords]) {
      at = (at / kChunkWords + 1) * kChunkWords;
      continue;
    }
    std::uint64_t bits = word(at);
    if (at == from / kWordBits) bits &= ~std::uint64_t{0} << from % kWordBits;
    if (bits != 0) return static_cast<DocId>(at * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)));
    ++at;
  }
  return kNoDoc;
}

const std::shared_ptr<const std::vector<std::uint64_t>>& HiddenDocuments::words() const {
  std::call_once(joined_, [this] {
    auto words = std::make_shared<std::vector<std::uint64_t>>(documents_ / kWordBits + 1);
    for (std::size_t i = 0; i < words->size(); ++i) (*words)[i] = word(i);
    words_ = std::move(words);
  });
  return words_;
}

}  // namespace frond::partition
