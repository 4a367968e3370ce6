// The records of a partition, from any bytes: the first byte says which. What is read must write and read back the
// same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/check.h"
#include "common/partition/documents/document_block.h"
#include "common/partition/documents/heads.h"
#include "common/partition/format/format.h"
#include "common/partition/format/sst_layout.h"
#include "common/partition/terms/term_sections.h"

namespace {

using namespace frond;
using namespace frond::partition;

void read_term(ByteView in) {
  const auto record = decode_term(in);
  if (!record) return;
  ByteBuffer out;
  encode_term(*record, out);
  const auto again = decode_term(out);
  FROND_CHECK(again.has_value() && as_text(again->inline_list) == as_text(record->inline_list) &&
              again->statistics.occurrences == record->statistics.occurrences);
}

void read_summary(ByteView in) {
  const auto record = decode_summary(in);
  if (!record) return;
  ByteBuffer out;
  encode_summary(*record, out);
  FROND_CHECK(decode_summary(out).has_value());
}

void read_totals(ByteView in) {
  const auto totals = decode_totals(in);
  if (!totals) return;
  ByteBuffer out;
  encode_totals(*totals, out);
  FROND_CHECK(decode_totals(out).value() == *totals);
}

void read_block(ByteView in, ByteView dictionary) {
  DocumentBlock block, front;
  const bool has_front = BlockDecompressor(dictionary).decompress_front(in, front).has_value();
  FROND_CHECK(front.raw.size() <= kMaxFrontBytes && (has_front || front.documents.empty()));
  if (!BlockDecompressor(dictionary).decompress(in, block)) {
    FROND_CHECK(block.documents.empty());
    return;
  }
  std::size_t bytes = 0;
  for (const auto& document : block.documents)
    bytes += document.id.size() + document.url.size() + document.title.size() + document.body.size();
  FROND_CHECK(bytes <= block.raw.size());
}

// The first bytes say how long the block is said to be; what is here of it is its head.
void search_block(ByteView in) {
  ByteReader reader(in);
  const std::uint64_t bytes = reader.get_varint();
  const std::string key(reader.get_text());
  const ByteView head = reader.get_bytes(reader.left());
  if (!reader.ok() || bytes < head.size() || bytes > (std::uint64_t{1} << 32)) return;
  const BlockAnswer answer = find_in_block(head, bytes, key);
  FROND_CHECK(!answer.value ||
              (answer.told && answer.value->offset <= bytes && answer.value->bytes <= bytes - answer.value->offset));
}

// The first bytes say how long the file is said to be, and which key is looked for; the rest is a block, an entry of an
// index, or a footer.
void read_layout(ByteView in) {
  ByteReader reader(in);
  const std::uint64_t file_bytes = reader.get_varint();
  const std::string key(reader.get_text());
  const ByteView rest = reader.get_bytes(reader.left());
  if (!reader.ok()) return;
  const auto index = index_of_footer(rest, file_bytes);
  FROND_CHECK(!index || (index->offset <= file_bytes && index->bytes <= file_bytes - index->offset));
  const auto indexed = decode_index_entry(rest, file_bytes);
  FROND_CHECK(!indexed ||
              (indexed->block.offset <= file_bytes && indexed->block.bytes <= file_bytes - indexed->block.offset));
  (void)is_intact(rest);
  (void)first_key(rest).has_value();
  const auto found = last_up_to(rest, key);
  FROND_CHECK(!found || !*found || ((*found)->key <= key && (*found)->value.size() <= rest.size()));
}

// The first bytes say how many heads are expected, and of which documents.
void read_heads(ByteView in) {
  ByteReader reader(in);
  const std::uint64_t count = reader.get_varint();
  const auto first = static_cast<DocId>(reader.get_varint());
  const ByteView bytes = reader.get_bytes(reader.left());
  if (!reader.ok() || count > 0xffffffff) return;
  const HeadChunk chunk(bytes, static_cast<std::uint32_t>(count));
  if (!chunk.validate()) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto head = chunk.head(i);
    if (!head || head->empty()) continue;
    const auto document = parse_head(*head, first + i);
    if (!document) continue;
    FROND_CHECK(document->id.size() + document->url.size() + document->title.size() <= head->size());
    ByteBuffer again;
    append_head(*document, first + i, again);
    FROND_CHECK(again.empty() || parse_head(again, first + i)->title == document->title);
  }
}

void read_change(ByteView in) {
  const auto by = decode_change(in);
  if (!by) return;
  ByteBuffer out;
  encode_change(*by, out);
  FROND_CHECK(*by != 0 && decode_change(out).value() == *by);
}

void read_hidden(ByteView in) {
  const auto docids = decode_hidden(in);
  if (!docids) return;
  for (std::size_t i = 1; i < docids->size(); ++i) FROND_CHECK((*docids)[i - 1] < (*docids)[i]);
  ByteBuffer out;
  encode_hidden(*docids, out);
  FROND_CHECK(!docids->empty() && decode_hidden(out).value() == *docids);
}

// The bytes are a whole file; decode_sections() gets them as they are, too, since a fuzzer finds no checksum.
void read_sections(ByteView in) {
  (void)decode_sections(in, in.size()).has_value();
  const auto bytes = sections_bytes(in, in.size());
  if (!bytes || *bytes == 0) return;
  FROND_CHECK(*bytes <= in.size());
  const auto sections = decode_sections(in.last(*bytes), in.size());
  if (!sections) return;
  ByteBuffer out;
  encode_sections(*sections, out);
  FROND_CHECK(out.size() <= *bytes && sections->back().offset + sections->back().bytes + *bytes == in.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView in = std::as_bytes(std::span(data + 1, size - 1));
  switch (data[0] % 12) {
    case 0:
      read_term(in);
      break;
    case 1:
      read_summary(in);
      break;
    case 2:
      read_totals(in);
      break;
    case 3:
      (void)decode_docid(in).has_value();
      break;
    case 4:
      read_block(in, {});
      break;
    case 6:
      search_block(in);
      break;
    case 7:
      read_heads(in);
      break;
    case 8:
      read_change(in);
      break;
    case 9:
      read_hidden(in);
      break;
    case 10:
      read_sections(in);
      break;
    case 11:
      read_layout(in);
      break;
    default:
      read_block(in, as_bytes("a dictionary that is no dictionary is raw content to zstd"));
      break;
  }
  return 0;
}
