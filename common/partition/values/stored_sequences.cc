#include "common/partition/values/stored_sequences.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/partition/format/format.h"

namespace frond::partition {

Result<CodesChunk> CodesChunk::open(ByteView bytes) {
  const auto corrupt = [] { return Error(Code::kCorrupt, "not a chunk of token codes"); };
  constexpr std::size_t kNumber = sizeof(std::uint32_t);
  if (bytes.size() < kNumber) return corrupt();
  CodesChunk chunk;
  chunk.documents_ = load_le<std::uint32_t>(bytes.data());
  if (chunk.documents_ == 0 || chunk.documents_ > kValueGroup || (chunk.documents_ + 1) * kNumber > bytes.size())
    return corrupt();
  chunk.ends_ = bytes.data() + kNumber;
  chunk.records_ = bytes.subspan((chunk.documents_ + 1) * kNumber);
  if (load_le<std::uint32_t>(chunk.ends_ + (chunk.documents_ - 1) * kNumber) != chunk.records_.size()) return corrupt();
  return chunk;
}

std::size_t CodesChunk::begin(std::uint32_t document) const {
  if (document == 0) return 0;
  return std::min<std::size_t>(load_le<std::uint32_t>(ends_ + (document - 1) * sizeof(std::uint32_t)), records_.size());
}

ByteView CodesChunk::record(std::uint32_t document) const {
  const std::size_t begin = this->begin(document);
  const std::size_t end = load_le<std::uint32_t>(ends_ + document * sizeof(std::uint32_t));
  return begin <= end && end <= records_.size() ? records_.subspan(begin, end - begin) : ByteView();
}

StoredSequences::StoredSequences(std::uint32_t documents, std::vector<DocId> starts, std::vector<CodesChunk> chunks)
    : documents_(documents), starts_(std::move(starts)), chunks_(std::move(chunks)) {
  chunks_before_.push_back(0);
  for (std::uint64_t group = 0; group * kValueGroup < documents_; ++group) {
    std::uint32_t chunk = chunks_before_.back();
    while (chunk < chunks_.size() && starts_[chunk] / kValueGroup == group) ++chunk;
    chunks_before_.push_back(chunk);
  }
  bytes_before_.push_back(0);
  for (const CodesChunk& chunk : chunks_) bytes_before_.push_back(bytes_before_.back() + chunk.bytes().size());
}

// How many chunks begin with the document or before.
std::size_t StoredSequences::chunks_until(DocId docid) const {
  // Most groups have one or two.
  const DocId* const first = starts_.data() + chunks_before_[docid / kValueGroup];
  const DocId* const last = starts_.data() + chunks_before_[docid / kValueGroup + 1];
  const DocId* const behind = last - first <= 2 ? std::find_if(first, last, [&](DocId start) { return start > docid; })
                                                : std::upper_bound(first, last, docid);
  return static_cast<std::size_t>(behind - starts_.data());
}

ByteView StoredSequences::record(DocId docid) const {
  if (docid >= documents_) return {};
  const std::size_t chunks = chunks_until(docid);
  if (chunks == chunks_before_[docid / kValueGroup]) return {};
  const std::uint32_t document = docid - starts_[chunks - 1];
  return document < chunks_[chunks - 1].documents() ? chunks_[chunks - 1].record(document) : ByteView();
}

std::uint64_t StoredSequences::begin(DocId docid) const {
  if (docid >= documents_) return bytes();
  const std::size_t chunks = chunks_until(docid);
  if (chunks == 0) return 0;
  const std::uint32_t document = docid - starts_[chunks - 1];
  return document < chunks_[chunks - 1].documents() ? bytes_before_[chunks - 1] + chunks_[chunks - 1].begin(document)
                                                    : bytes_before_[chunks];
}

void StoredSequences::copy(std::uint64_t from, std::span<std::byte> out) const {
  std::size_t done = 0;
  auto chunk = static_cast<std::size_t>(std::ranges::upper_bound(bytes_before_, from) - bytes_before_.begin()) - 1;
  for (; chunk < chunks_.size() && done < out.size(); ++chunk) {
    const ByteView bytes = chunks_[chunk].bytes().subspan(from + done - bytes_before_[chunk]);
    const std::size_t count = std::min(bytes.size(), out.size() - done);
    std::memcpy(out.data() + done, bytes.data(), count);
    done += count;
  }
  std::ranges::fill(out.subspan(done), std::byte{0});
}

}  // namespace frond::partition
