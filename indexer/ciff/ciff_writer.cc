#include <fcntl.h>

#include <string>

#include "common/files/write.h"
#include "indexer/ciff/ciff_file.h"

namespace frond::indexer::ciff {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// Tags: a field's number and whether a varint (0), eight bytes (1) or bytes behind their length (2) follow.
constexpr std::uint64_t tag(int number, int type) { return static_cast<std::uint64_t>(number << 3 | type); }

std::uint64_t varint_bytes(std::uint64_t value) {
  std::uint64_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}
// Of a field that is left out if it is 0, as protocol buffers do.
std::uint64_t number_bytes(std::uint64_t value) { return value == 0 ? 0 : 1 + varint_bytes(value); }
std::uint64_t content_bytes(std::uint64_t gap, std::uint64_t frequency) {
  return number_bytes(gap) + number_bytes(frequency);
}

void put_number(ByteWriter& out, int number, std::uint64_t value) {
  if (value == 0) return;
  out.put_varint(tag(number, 0));
  out.put_varint(value);
}
void put_text(ByteWriter& out, int number, std::string_view text) {
  if (text.empty()) return;
  out.put_varint(tag(number, 2));
  out.put_text(text);
}

}  // namespace

std::uint64_t posting_bytes(std::uint64_t gap, std::uint64_t frequency) {
  const std::uint64_t content = content_bytes(gap, frequency);
  return 1 + varint_bytes(content) + content;
}

std::filesystem::path CiffWriter::draft() const { return path_.string() + std::string(files::kDraftSuffix); }

Result<std::unique_ptr<CiffWriter>> CiffWriter::create(const std::filesystem::path& path) {
  std::error_code none;
  const auto there = std::filesystem::status(path, none);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    return Error(Code::kInvalid, path.string() + ": is no file, and would be replaced by one");
  const std::filesystem::path draft = path.string() + std::string(files::kDraftSuffix);
  auto file = FROND_TRY(files::open(draft, O_WRONLY | O_CREAT | O_TRUNC));
  return std::unique_ptr<CiffWriter>(new CiffWriter(path, std::move(file)));
}

Result<void> CiffWriter::flush() {
  FROND_TRY(files::write_all(file_, buffer_, draft()));
  bytes_ += buffer_.size();
  buffer_.clear();
  return {};
}
Result<void> CiffWriter::flush_if_full() {
  if (buffer_.size() < kBufferBytes) return {};
  return flush();
}
Result<void> CiffWriter::put_message() {
  ByteWriter out(buffer_);
  out.put_varint(message_.size());
  out.put_bytes(message_);
  message_.clear();
  return flush_if_full();
}

Result<void> CiffWriter::header(const CiffHeader& header) {
  for (const std::uint64_t number : {header.lists, header.documents, header.total_lists, header.total_documents})
    if (number > kMaxCiffNumber)
      return Error(Code::kInvalid, path_.string() +
                                       ": CIFF has at most 2^31 - 1 postings "
                                       "lists and as many documents");
  ByteWriter out(message_);
  put_number(out, 1, kCiffVersion);
  put_number(out, 2, header.lists);
  put_number(out, 3, header.documents);
  put_number(out, 4, header.total_lists);
  put_number(out, 5, header.total_documents);
  put_number(out, 6, header.tokens);
  out.put_varint(tag(7, 1));
  out.put(header.average_length);
  put_text(out, 8, header.description);
  return put_message();
}

Result<void> CiffWriter::list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                              std::uint64_t postings) {
  ByteWriter fields(message_);
  put_text(fields, 1, term);
  put_number(fields, 2, document_frequency);
  put_number(fields, 3, occurrences);
  if (message_.size() + postings > kMaxCiffNumber - 16)
    return Error(Code::kInvalid, path_.string() + ": the list of '" + std::string(term) +
                                     "' is longer than 2 GiB, more than a protocol buffer may have");
  ByteWriter out(buffer_);
  out.put_varint(message_.size() + postings);
  out.put_bytes(message_);
  message_.clear();
  return flush_if_full();
}

Result<void> CiffWriter::posting(std::uint64_t gap, std::uint64_t frequency) {
  ByteWriter out(buffer_);
  out.put_varint(tag(4, 2));
  out.put_varint(content_bytes(gap, frequency));
  put_number(out, 1, gap);
  put_number(out, 2, frequency);
  return flush_if_full();
}

Result<void> CiffWriter::document(std::uint64_t docid, std::string_view id, std::uint32_t length) {
  if (length > kMaxCiffNumber)
    return Error(Code::kInvalid, path_.string() + ": document '" + std::string(id) + "' has more than 2^31 - 1 tokens");
  ByteWriter out(message_);
  put_number(out, 1, docid);
  put_text(out, 2, id);
  put_number(out, 3, length);
  return put_message();
}

Result<std::uint64_t> CiffWriter::finish() {
  FROND_TRY(flush());
  FROND_TRY(files::sync(file_, draft()));
  FROND_TRY(files::rename(draft(), path_));
  FROND_TRY(files::sync_parent(path_));
  return bytes_;
}

}  // namespace frond::indexer::ciff
