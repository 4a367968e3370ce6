#include "indexer/ciff/ciff_reader.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <limits>

#include "common/text/utf8.h"
#include "indexer/ingest/streams/byte_source.h"

namespace frond::indexer::ciff {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// A file's content for protobuf.
class SourceStream final : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit SourceStream(std::unique_ptr<ingest::ByteSource> source) : source_(std::move(source)) {}
  bool Next(const void** data, int* size) override {
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
  void BackUp(int count) override {
    unread_ = static_cast<std::size_t>(count);
    count_ -= unread_;
  }
  bool Skip(int count) override {
    const void* data = nullptr;
    int size = 0;
    while (count > 0) {
      if (!Next(&data, &size)) return false;
      if (size > count) BackUp(size - count);
      count -= std::min(size, count);
    }
    return true;
  }
  int64_t ByteCount() const override { return static_cast<int64_t>(count_); }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::unique_ptr<ingest::ByteSource> source_;
  ByteView piece_;
  std::size_t unread_ = 0;  // at the end of piece_
  std::uint64_t count_ = 0;
  std::optional<Error> error_;
};

constexpr std::uint32_t field(int number, WireFormatLite::WireType type) {
  return WireFormatLite::MakeTag(number, type);
}
constexpr auto kVarint = WireFormatLite::WIRETYPE_VARINT;
constexpr auto kBytes = WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
constexpr auto kDouble = WireFormatLite::WIRETYPE_FIXED64;

class Reader final : public CiffReader {
 public:
  Reader(std::filesystem::path path, std::unique_ptr<ingest::ByteSource> source)
      : path_(std::move(path)), stream_(std::move(source)) {}

  Result<void> read_header() {
    FROND_TRY(begin_message("the header"));
    std::uint64_t version = 0;
    while (const std::uint32_t tag = coded_->ReadTag()) {
      bool good = false;
      if (tag == field(1, kVarint))
        good = coded_->ReadVarint64(&version);
      else if (tag == field(2, kVarint))
        good = read_number(header_.lists);
      else if (tag == field(3, kVarint))
        good = read_number(header_.documents);
      else if (tag == field(4, kVarint))
        good = read_number(header_.total_lists);
      else if (tag == field(5, kVarint))
        good = read_number(header_.total_documents);
      else if (tag == field(6, kVarint))
        good = coded_->ReadVarint64(&header_.tokens);
      else if (tag == field(7, kDouble))
        good = read_double(header_.average_length);
      else if (tag == field(8, kBytes))
        good = read_text(header_.description);
      else
        good = skip(tag);
      if (!good) return broken();
    }
    FROND_TRY(end_message());
    if (version != kCiffVersion) return corrupt("version " + std::to_string(version) + " of CIFF; version 1 is read");
    return {};
  }

  const CiffHeader& header() const override { return header_; }

  Result<std::optional<CiffList>> next_list() override {
    if (lists_ == header_.lists) return std::optional<CiffList>();
    FROND_TRY(begin_message("postings list " + std::to_string(++lists_) + " of " + std::to_string(header_.lists)));
    list_ = {};
    next_docid_ = 0;
    postings_ = 0;
    open_ = true;
    FROND_TRY(read_list_fields());
    return std::optional<CiffList>(list_);
  }

  Result<std::size_t> read_postings(std::span<DocId> docids, std::span<Frequency> frequencies) override {
    std::size_t count = 0;
    while (open_ && count < docids.size()) {
      FROND_TRY(read_posting(docids[count], frequencies[count]));
      ++count;
      FROND_TRY(read_list_fields());
    }
    return count;
  }

  Result<std::optional<CiffDocument>> next_document() override {
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
    while (const std::uint32_t tag = coded_->ReadTag()) {
      bool good = false;
      if (tag == field(1, kVarint))
        good = read_number(docid);
      else if (tag == field(2, kBytes))
        good = read_text(document.id);
      else if (tag == field(3, kVarint))
        good = read_number(length);
      else
        good = skip(tag);
      if (!good) return broken();
    }
    FROND_TRY(end_message());
    if (docid != documents_)
      return corrupt(what_ + " has docID " + std::to_string(docid) +
                     "; Frond reads files whose documents are numbered from 0 without gaps");
    document.length = static_cast<std::uint32_t>(length);
    ++documents_;
    return std::optional<CiffDocument>(std::move(document));
  }

  std::uint64_t bytes_read() const override { return static_cast<std::uint64_t>(stream_.ByteCount()); }

 private:
  Error corrupt(const std::string& what) const { return {Code::kCorrupt, path_.string() + ": " + what}; }
  Error broken() const {
    if (stream_.error()) return *stream_.error();
    return corrupt(what_ + " is damaged or cut short, or this is no CIFF file");
  }

  // A message may be nearly as long as a protobuf may be, so each has a stream of its own, which counts from 0.
  Result<void> begin_message(std::string what) {
    what_ = std::move(what);
    coded_.emplace(&stream_);
    coded_->SetTotalBytesLimit(std::numeric_limits<int>::max());
    std::uint32_t size = 0;
    if (!coded_->ReadVarint32(&size) || size > kMaxCiffNumber - 16) return broken();
    coded_->PushLimit(static_cast<int>(size));
    return {};
  }
  Result<void> end_message() {
    const bool whole = coded_->ConsumedEntireMessage() && coded_->BytesUntilLimit() == 0;
    if (!whole) return broken();
    coded_.reset();  // gives back what was read ahead
    return {};
  }
  // An int32 that is not negative.
  bool read_number(std::uint64_t& value) { return coded_->ReadVarint64(&value) && value <= kMaxCiffNumber; }
  bool read_double(double& value) {
    std::uint64_t bits = 0;
    if (!coded_->ReadLittleEndian64(&bits)) return false;
    value = WireFormatLite::DecodeDouble(bits);
    return true;
  }
  bool read_text(std::string& text) {
    std::uint32_t size = 0;
    return coded_->ReadVarint32(&size) && size <= kMaxTextBytes && coded_->ReadString(&text, static_cast<int>(size)) &&
           text::is_utf8(text);
  }
  bool skip(std::uint32_t tag) { return WireFormatLite::SkipField(&*coded_, tag); }

  // Reads the list's fields up to the next posting, or to its end.
  Result<void> read_list_fields() {
    while (const std::uint32_t tag = coded_->ReadTag()) {
      if (tag == field(4, kBytes)) return {};
      bool good = false;
      if (postings_ > 0 && (tag == field(1, kBytes) || tag == field(2, kVarint)))
        return corrupt(what_ + " has its term or document frequency behind postings");
      if (tag == field(1, kBytes))
        good = read_text(list_.term);
      else if (tag == field(2, kVarint))
        good = read_number(list_.document_frequency);
      else if (tag == field(3, kVarint))
        good = coded_->ReadVarint64(&list_.occurrences);
      else
        good = skip(tag);
      if (!good) return broken();
    }
    FROND_TRY(end_message());
    open_ = false;
    if (postings_ == list_.document_frequency) return {};
    return corrupt(what_ + " (" + list_.term + ") has " + std::to_string(postings_) +
                   " postings, but a document frequency of " + std::to_string(list_.document_frequency));
  }
  Result<void> read_posting(DocId& docid, Frequency& frequency) {
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
        good = skip(tag);
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

  std::filesystem::path path_;
  SourceStream stream_;
  std::optional<CodedInputStream> coded_;  // of the message at hand; gives back to stream_ when it is destroyed
  std::string what_ = "the header";
  CiffHeader header_;
  std::uint64_t lists_ = 0, documents_ = 0;
  // The list at hand: its next posting's tag has been read, unless it has ended.
  CiffList list_;
  bool open_ = false;
  std::uint64_t next_docid_ = 0, postings_ = 0;
};

}  // namespace

Result<std::unique_ptr<CiffReader>> CiffReader::open(const std::filesystem::path& path) {
  auto reader = std::make_unique<Reader>(path, FROND_TRY(ingest::ByteSource::open(path)));
  FROND_TRY(reader->read_header());
  return std::unique_ptr<CiffReader>(std::move(reader));
}

}  // namespace frond::indexer::ciff
