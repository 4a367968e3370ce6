#include "common/partition/head_chunk.h"

#include <xxhash.h>

#include <string>

#include "common/text/limits.h"

namespace frond::partition {
namespace {

constexpr std::size_t kChecksumBytes = sizeof(std::uint32_t);
constexpr std::size_t kMaxLengthsBytes = 3 * 3;  // three varints of lengths below 2^21
static_assert(kChecksumBytes + kMaxLengthsBytes + text::kMaxIdBytes + text::kMaxTitleBytes + text::kMaxUrlBytes <=
              kMaxHeadBytes);

// The document is the seed, so that a head is not taken for another document's.
std::uint32_t checksum_of(ByteView texts, DocId docid) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(texts.data(), texts.size(), docid));
}

Error corrupt_head(const std::string& what) { return Error(Code::kCorrupt, "heads: " + what); }

}  // namespace

void append_head(const StoredDocument& document, DocId docid, ByteBuffer& heads) {
  const std::size_t fields = document.id.size() + document.url.size() + document.title.size();
  if (fields > kMaxHeadBytes - kChecksumBytes - kMaxLengthsBytes) return;
  const std::size_t begin = heads.size();
  ByteWriter writer(heads);
  writer.put(std::uint32_t{0});
  for (const auto field : {document.id, document.url, document.title}) writer.put_text(field);
  store_le(heads.data() + begin, checksum_of(ByteView(heads).subspan(begin + kChecksumBytes), docid));
}

ByteBuffer encode_head_chunk(ByteView heads, std::span<const std::uint32_t> ends) {
  ByteBuffer chunk;
  const std::size_t begin = sizeof(std::uint32_t) * (ends.size() + 2);
  chunk.reserve(begin + heads.size());
  ByteWriter writer(chunk);
  writer.put(static_cast<std::uint32_t>(ends.size()));
  writer.put(static_cast<std::uint32_t>(begin));
  for (const std::uint32_t end : ends) writer.put(static_cast<std::uint32_t>(begin + end));
  writer.put_bytes(heads);
  return chunk;
}

Result<void> HeadChunk::validate() const {
  if (bytes_.size() < begin_of_heads())
    return corrupt_head("a chunk of " + std::to_string(bytes_.size()) + " bytes for " + std::to_string(count_) +
                        " documents");
  const auto count = load_le<std::uint32_t>(bytes_.data());
  if (count != count_)
    return corrupt_head("a chunk of " + std::to_string(count) + " documents, expected " + std::to_string(count_));
  return {};
}

Result<ByteView> HeadChunk::head(std::uint32_t index) const {
  const auto begin = load_le<std::uint32_t>(place(index));
  const auto end = load_le<std::uint32_t>(place(index + 1));
  if (begin < begin_of_heads() || end < begin || end > bytes_.size() || end - begin > kMaxHeadBytes)
    return corrupt_head("bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of a chunk of " +
                        std::to_string(bytes_.size()));
  return bytes_.subspan(begin, end - begin);
}

Result<StoredDocument> parse_head(ByteView head, DocId docid) {
  ByteReader reader(head);
  const auto checksum = reader.get<std::uint32_t>();
  if (!reader.ok() || checksum != checksum_of(head.subspan(kChecksumBytes), docid))
    return corrupt_head("wrong checksum");
  StoredDocument document;
  for (auto* field : {&document.id, &document.url, &document.title}) *field = reader.get_text();
  if (!reader.ok() || !reader.at_end()) return corrupt_head("fields do not fill the head");
  return document;
}

}  // namespace frond::partition
