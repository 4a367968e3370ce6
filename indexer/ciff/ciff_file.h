#pragma once
// The Common Index File Format (Lin et al., "Supporting Interoperability Between Open-Source Search Engines with the
// Common Index File Format", SIGIR 2020): a header, postings lists in the order of their terms, and documents. Each is
// a protocol buffer behind its length, a varint. Field numbers:
//
//   Header        1 version, 2 num_postings_lists, 3 num_docs, 4 total_postings_lists, 5 total_docs,
//                 6 total_terms_in_collection, 7 average_doclength (double), 8 description
//   PostingsList  1 term, 2 df, 3 cf, 4 postings, repeated
//   Posting       1 docid, as its distance from the one before (of the first, from 0), 2 tf
//   DocRecord     1 docid, 2 collection_docid, 3 doclength
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "indexer/ingest/streams/byte_source.h"

namespace frond::indexer::ciff {

inline constexpr std::int32_t kCiffVersion = 1;
// A protocol buffer and a docID are below this.
inline constexpr std::uint64_t kMaxCiffNumber = 0x7fffffff;

struct CiffHeader {
  std::uint64_t lists = 0, documents = 0;              // in the file
  std::uint64_t total_lists = 0, total_documents = 0;  // of the collection
  std::uint64_t tokens = 0;
  double average_length = 0;
  std::string description;
};

struct CiffList {
  std::string term;
  std::uint64_t document_frequency = 0, occurrences = 0;  // as the file says
};
struct CiffDocument {
  std::string id;
  std::uint32_t length = 0;
};

// Reads a CIFF file from front to back, compressed or not. Holds little of it, however long a list is. Accepts any
// bytes. One thread. kCorrupt: not a CIFF file, cut short, or its parts contradict each other; kUnavailable: the disk.
// Messages name the file and what of it is wrong. After an error, no further call is made.
class CiffReader {
 public:
  static constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;  // of a term, an id or the description
  static Result<std::unique_ptr<CiffReader>> open(const std::filesystem::path& path);

  const CiffHeader& header() const { return header_; }
  // The next list; no value behind the last one. The postings of the one before were read to their end.
  Result<std::optional<CiffList>> next_list();
  // Reads the next postings of the list. docIDs ascend and are below header().documents; frequencies are at least 1.
  // How many were read; fewer than there is room for: the list has ended, and has the document frequency that it says.
  Result<std::size_t> read_postings(std::span<DocId> docids, std::span<Frequency> frequencies);
  // Behind the lists: the documents by docID, each once; no value behind the last one, where the file ends.
  Result<std::optional<CiffDocument>> next_document();
  std::uint64_t bytes_read() const { return static_cast<std::uint64_t>(stream_.ByteCount()); }

 private:
  // A file's content for protobuf.
  class SourceStream final : public google::protobuf::io::ZeroCopyInputStream {
   public:
    explicit SourceStream(std::unique_ptr<ingest::ByteSource> source) : source_(std::move(source)) {}
    bool Next(const void** data, int* size) override;
    void BackUp(int count) override;
    bool Skip(int count) override;
    int64_t ByteCount() const override { return static_cast<int64_t>(count_); }
    const std::optional<Error>& error() const { return error_; }

   private:
    std::unique_ptr<ingest::ByteSource> source_;
    ByteView piece_;
    std::size_t unread_ = 0;  // at the end of piece_
    std::uint64_t count_ = 0;
    std::optional<Error> error_;
  };
  // A field of a message, and where it goes: a varint, one that is an int32, a double or a text.
  struct Field {
    int number;
    std::uint64_t* varint = nullptr;
    std::uint64_t* int32 = nullptr;
    double* real = nullptr;
    std::string* text = nullptr;
  };
  CiffReader(std::filesystem::path path, std::unique_ptr<ingest::ByteSource> source)
      : path_(std::move(path)), stream_(std::move(source)) {}
  Error corrupt(const std::string& what) const { return {Code::kCorrupt, path_.string() + ": " + what}; }
  Error broken() const;
  Result<void> begin_message(std::string what);
  Result<void> end_message();
  Result<void> read_header();
  // False: it is damaged. Passes over what is none of `fields`.
  bool read_field(std::uint32_t tag, std::initializer_list<Field> fields);
  bool read_text(std::string& text);
  // An int32 that is not negative.
  bool read_number(std::uint64_t& value) { return coded_->ReadVarint64(&value) && value <= kMaxCiffNumber; }
  Result<void> read_list_fields();
  Result<void> read_posting(DocId& docid, Frequency& frequency);

  std::filesystem::path path_;
  SourceStream stream_;
  std::optional<google::protobuf::io::CodedInputStream> coded_;  // of the message at hand; gives back when destroyed
  std::string what_ = "the header";
  CiffHeader header_;
  std::uint64_t lists_ = 0, documents_ = 0;
  // The list at hand: its next posting's tag has been read, unless it has ended.
  CiffList list_;
  bool open_ = false;
  std::uint64_t next_docid_ = 0, postings_ = 0;
};

// The bytes that a posting takes in its list; `gap` from the posting before, of the first one its docID.
std::uint64_t posting_bytes(std::uint64_t gap, std::uint64_t frequency);

// Writes a CIFF file: it appears under its name when it is whole and synced. One thread. The header, then lists, each
// with its postings, then documents: as many as the header says. Errors: kInvalid: a number or a list is too large for
// a protocol buffer, or the path is something else than a file; kUnavailable: the disk. Messages name the file.
class CiffWriter {
 public:
  // Writes to "<path>.part".
  static Result<std::unique_ptr<CiffWriter>> create(const std::filesystem::path& path);
  Result<void> header(const CiffHeader& header);
  // `postings`: the sum of the posting_bytes() of the list's postings, which follow.
  Result<void> list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                    std::uint64_t postings);
  Result<void> posting(std::uint64_t gap, std::uint64_t frequency);
  Result<void> document(std::uint64_t docid, std::string_view id, std::uint32_t length);
  // Syncs the file and renames it. Gives its bytes.
  Result<std::uint64_t> finish();

 private:
  CiffWriter(std::filesystem::path path, files::Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  Result<void> flush_if_full();
  Result<void> flush();
  Result<void> put_message();
  std::filesystem::path draft() const;

  std::filesystem::path path_;
  files::Descriptor file_;
  ByteBuffer message_, buffer_;
  std::uint64_t bytes_ = 0;
};

}  // namespace frond::indexer::ciff
