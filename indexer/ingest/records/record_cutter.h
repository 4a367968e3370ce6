#pragma once
// Bytes to records: finds where each record ends.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/files/skipped.h"
#include "indexer/ingest/streams/byte_source.h"

namespace frond::indexer::ingest {

struct CsvColumns;
struct FieldNames;
struct WikiSite;

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8

struct Cut {
  std::uint64_t number = 0;  // as RawRecord::number
  std::uint64_t offset = 0;
  std::string bytes;
  std::size_t front = 0;     // as RawRecord::front
  std::string_view problem;  // not empty: a bad record, whose bytes have no meaning; valid as long as the cutter
  std::shared_ptr<const CsvColumns> columns;  // CSV only
  std::shared_ptr<const WikiSite> site;       // MediaWiki only
  std::optional<SkipReason> skip_because;     // set: the record holds no document; its bytes have no meaning
  std::uint32_t lines = 0;                    // as RawRecord::lines
};

// One thread.
class RecordCutter {
 public:
  // Records longer than `max_bytes` are bad records.
  explicit RecordCutter(std::size_t max_bytes);
  virtual ~RecordCutter() = default;
  template <class Cutter>
  static std::unique_ptr<RecordCutter> of(std::size_t max_bytes) {  // for SourceFormat::cut
    return std::make_unique<Cutter>(max_bytes);
  }
  // Other names than the usual ones. Before the first call of next(); `names` outlives the cutter.
  virtual void use_names(const FieldNames& names) { static_cast<void>(names); }
  // The next record of `stream`, which is the same one in every call; no value at its end. Errors as ByteSource's.
  virtual Result<std::optional<Cut>> next(ContentStream& stream) = 0;
  // Many records at once, if each is a line; otherwise the next one. `memory`: may be used for them, and is empty then.
  virtual Result<std::optional<Cut>> next_lines(ContentStream& stream, LinesAtOnce, std::string& memory) {
    static_cast<void>(memory);
    return next(stream);
  }
  // Whether the stream is inside a record that the next call gives.
  virtual bool inside_record() const { return false; }
  // Passes over what is before a place of the stream at which another cutter was: behind so many cuts, and at this
  // offset. False: there is no such place. Before the first call of next().
  virtual Result<bool> pass(ContentStream& stream, std::uint64_t cuts, std::uint64_t offset,
                            const std::stop_token& stop);
  // The number of cuts behind one, for pass().
  virtual std::uint64_t cuts_after(std::uint64_t before, const Cut&) const { return before + 1; }

 protected:
  // Appends a piece to cut.bytes. Sets cut.problem if the record becomes too long; its further pieces are dropped.
  void append(std::string_view piece, Cut& cut) const;

  const std::size_t max_bytes_;
  const std::string too_long_why_;
};

// simdjson reads so many bytes past a record. A string with this much spare capacity need not be copied for it.
inline constexpr std::size_t kParserSlack = 64;

// Appends a piece of a record. A record that has grown long gets capacity for `max_bytes` at once: untouched pages take
// no memory, whereas a string that doubles exists twice while it is copied.
void append_piece(std::string& record, std::string_view piece, std::size_t max_bytes);

// Cuts files in which a line is a record: one by one, or many at once. Finding single lines is work for many threads,
// which LineRecords is for; the thread that reads only looks for the end of the last one.
std::unique_ptr<RecordCutter> line_cutter(std::size_t max_bytes);

// Where `tag` is in text[from…], in any case; `tag` has small letters and begins with none. npos: it is not there.
std::size_t find_tag(std::string_view text, std::string_view tag, std::size_t from = 0);

// Of records between an opening and a closing tag; what stands between records is dropped. Tags have small letters
// here, and are found in any case.
struct DocumentTags {
  std::string_view begin, end;
  std::string_view next_begin;  // `begin` at the beginning of a line
  // What is wrong with a record that has no closing tag before the end of the file, or before the next opening tag.
  std::string_view no_end, no_end_before_next;
};
// `tags` outlives the cutter.
std::unique_ptr<RecordCutter> tagged_cutter(const DocumentTags& tags, std::size_t max_bytes);

}  // namespace frond::indexer::ingest
