#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <limits>

#include "common/text/utf8.h"
#include "indexer/ciff/ciff_file.h"
#include "indexer/ingest/streams/byte_source.h"

namespace frond::indexer::ciff {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr std::uint32_t field(int number, WireFormatLite::WireType type) {
  return WireFormatLite::MakeTag(number, type);
}
constexpr auto kVarint = WireFormatLite::WIRETYPE_VARINT;
constexpr auto kBytes = WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
constexpr auto kDouble = WireFormatLite::WIRETYPE_FIXED64;

}  // namespace

bool CiffReader::SourceStream::Next(const void** data, int* size) {
  if (unread_ == 0) {
    const Result<ByteView> read = source_->read();
    if (!read) {
      error_ = read.error();
      return false;
    }
    piece_ = *read;
    unread_ = piece_.size();
    if (piece_.empty()) return false;
  }
  // Pieces have far fewer bytes than an int can count.
  *data = piece_.data() + (piece_.size() - unread_);
  *size = static_cast<int>(unread_);
  count_ += unread_;
  unread_ = 0;
  return true;
}
void CiffReader::SourceStream::BackUp(int count) {
  unread_ = static_cast<std::size_t>(count);
  count_ -= unread_;
}
bool CiffReader::SourceStream::Skip(int count) {
  const void* data = nullptr;
  int size = 0;
  while (count > 0) {
    if (!Next(&data, &size)) return false;
    if (size > count) BackUp(size - count);
    count -= std::min(size, count);
  }
  return true;
}

Result<std::unique_ptr<CiffReader>> CiffReader::open(const std::filesystem::path& path) {
  auto source = FROND_TRY(ingest::ByteSource::open(path));
  std::unique_ptr<CiffReader> reader(new CiffReader(path, std::move(source)));
  FROND_TRY(reader->read_header());
  return reader;
}

Error CiffReader::broken() const {
  if (stream_.error()) return *stream_.error();
  return corrupt(what_ + " is damaged or cut short, or this is no CIFF file");
}

// A message may be nearly as long as a protobuf may be, so each has a stream of its own, which counts from 0.
Result<void> CiffReader::begin_message(std::string what) {
  what_ = std::move(what);
  coded_.emplace(&stream_);
  coded_->SetTotalBytesLimit(std::numeric_limits<int>::max());
  std::uint32_t size = 0;
  if (!coded_->ReadVarint32(&size) || size > kMaxCiffNumber - 16) return broken();
  coded_->PushLimit(static_cast<int>(size));
  return {};
}
Result<void> CiffReader::end_message() {
  const bool whole = coded_->ConsumedEntireMessage() && coded_->BytesUntilLimit() == 0;
  if (!whole) return broken();
  coded_.reset();  // gives back what was read ahead
  return {};
}

bool CiffReader::read_text(std::string& text) {
  std::uint32_t size = 0;
  return coded_->ReadVarint32(&size) && size <= kMaxTextBytes && coded_->ReadString(&text, static_cast<int>(size)) &&
         text::is_utf8(text);
}

bool CiffReader::read_field(std::uint32_t tag, std::initializer_list<Field> fields) {
  for (const Field& one : fields) {
    if (one.varint != nullptr && tag == field(one.number, kVarint)) return coded_->ReadVarint64(one.varint);
    if (one.int32 != nullptr && tag == field(one.number, kVarint)) return read_number(*one.int32);
    if (one.text != nullptr && tag == field(one.number, kBytes)) return read_text(*one.text);
    if (one.real == nullptr || tag != field(one.number, kDouble)) continue;
    std::uint64_t bits = 0;
    if (!coded_->ReadLittleEndian64(&bits)) return false;
    *one.real = WireFormatLite::DecodeDouble(bits);
    return true;
  }
  return WireFormatLite::SkipField(&*coded_, tag);
}

Result<void> CiffReader::read_header() {
  FROND_TRY(begin_message("the header"));
  std::uint64_t version = 0;
  while (const std::uint32_t tag = coded_->ReadTag())
    if (!read_field(tag, {{.number = 1, .varint = &version},
                          {.number = 2, .int32 = &header_.lists},
                          {.number = 3, .int32 = &header_.documents},
                          {.number = 4, .int32 = &header_.total_lists},
                          {.number = 5, .int32 = &header_.total_documents},
                          {.number = 6, .varint = &header_.tokens},
                          {.number = 7, .real = &header_.average_length},
                          {.number = 8, .text = &header_.description}}))
      return broken();
  FROND_TRY(end_message());
  if (version != kCiffVersion) return corrupt("version " + std::to_string(version) + " of CIFF; version 1 is read");
  return {};
}

Result<std::optional<CiffList>> CiffReader::next_list() {
  if (lists_ == header_.lists) return std::optional<CiffList>();
  FROND_TRY(begin_message("postings list " + std::to_string(++lists_) + " of " + std::to_string(header_.lists)));
  list_ = {};
  next_docid_ = 0;
  postings_ = 0;
  open_ = true;
  FROND_TRY(read_list_fields());
  return std::optional<CiffList>(list_);
}

Result<std::size_t> CiffReader::read_postings(std::span<DocId> docids, std::span<Frequency> frequencies) {
  std::size_t count = 0;
  while (open_ && count < docids.size()) {
    FROND_TRY(read_posting(docids[count], frequencies[count]));
    ++count;
    FROND_TRY(read_list_fields());
  }
  return count;
}

Result<std::optional<CiffDocument>> CiffReader::next_document() {
  if (documents_ == header_.documents) {
    const void* data = nullptr;
    int size = 0;
    if (stream_.Next(&data, &size)) return corrupt("bytes behind the last document");
    if (stream_.error()) return *stream_.error();
    return std::optional<CiffDocument>();
  }
  FROND_TRY(begin_message("document " + std::to_string(documents_ + 1) + " of " + std::to_string(header_.documents)));
  CiffDocument document;
  std::uint64_t docid = 0, length = 0;
  while (const std::uint32_t tag = coded_->ReadTag())
    if (!read_field(
            tag,
            {{.number = 1, .int32 = &docid}, {.number = 2, .text = &document.id}, {.number = 3, .int32 = &length}}))
      return broken();
  FROND_TRY(end_message());
  if (docid != documents_)
    return corrupt(what_ + " has docID " + std::to_string(docid) +
                   "; Frond reads files whose documents are numbered from 0 without gaps");
  document.length = static_cast<std::uint32_t>(length);
  ++documents_;
  return std::optional<CiffDocument>(std::move(document));
}

// Reads the list's fields up to the next posting, or to its end.
Result<void> CiffReader::read_list_fields() {
  while (const std::uint32_t tag = coded_->ReadTag()) {
    if (tag == field(4, kBytes)) return {};
    if (postings_ > 0 && (tag == field(1, kBytes) || tag == field(2, kVarint)))
      return corrupt(what_ + " has its term or document frequency behind postings");
    if (!read_field(tag, {{.number = 1, .text = &list_.term},
                          {.number = 2, .int32 = &list_.document_frequency},
                          {.number = 3, .varint = &list_.occurrences}}))
      return broken();
  }
  FROND_TRY(end_message());
  open_ = false;
  if (postings_ == list_.document_frequency) return {};
  return corrupt(what_ + " (" + list_.term + ") has " + std::to_string(postings_) +
                 " postings, but a document frequency of " + std::to_string(list_.document_frequency));
}
Result<void> CiffReader::read_posting(DocId& docid, Frequency& frequency) {
  std::uint32_t size = 0;
  if (!coded_->ReadVarint32(&size) || size > kMaxTextBytes) return broken();
  const CodedInputStream::Limit outer = coded_->PushLimit(static_cast<int>(size));
  std::uint64_t gap = 0, count = 0;
  while (const std::uint32_t tag = coded_->ReadTag()) {
    bool good = false;
    if (tag == field(1, kVarint))
      good = read_number(gap);
    else if (tag == field(2, kVarint))
      good = read_number(count);
    else
      good = WireFormatLite::SkipField(&*coded_, tag);
    if (!good) return broken();
  }
  if (!coded_->ConsumedEntireMessage() || coded_->BytesUntilLimit() != 0) return broken();
  coded_->PopLimit(outer);
  if (postings_ > 0 && gap == 0) return corrupt(what_ + " (" + list_.term + ") has a docID twice");
  next_docid_ += gap;
  if (next_docid_ >= header_.documents)
    return corrupt(what_ + " (" + list_.term + ") has docID " + std::to_string(next_docid_) + ", but there are " +
                   std::to_string(header_.documents) + " documents");
  if (count == 0) return corrupt(what_ + " (" + list_.term + ") has a posting of frequency 0");
  docid = static_cast<DocId>(next_docid_);
  frequency = static_cast<Frequency>(count);
  ++postings_;
  return {};
}

}  // namespace frond::indexer::ciff
