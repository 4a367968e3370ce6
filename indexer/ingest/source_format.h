#pragma once
// What a source format consists of. formats.cc has the table of all formats: a new one is a file that defines a
// SourceFormat, and a line there.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/field_names.h"
#include "indexer/ingest/parse_cost.h"
#include "indexer/ingest/raw_record.h"
#include "indexer/ingest/record_cutter.h"
#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

// How much of a file's content a format is recognised from.
inline constexpr std::size_t kSniffBytes = 64 << 10;

// The beginning of a file.
struct Beginning {
  std::string_view path;              // the name's ending counts
  std::string_view bytes;             // decompressed: at least the first kSniffBytes, or the whole content
  bool whole = false;                 // `bytes` is the whole content
  bool in_folder = false;             // found in an input folder; false: the file itself is an input
  bool among_tsv = false;             // in an input folder whose first files are all TSV
  const FieldNames* names = nullptr;  // null: the usual ones
};

// A beginning as text.
struct Head {
  const Beginning& file;
  std::string_view text;  // plain_beginning() of the bytes, without leading white space
};

// What a format says of a beginning.
struct Sniffed {
  bool claimed = false;                    // it is of this format; the others are not asked
  std::optional<SkipReason> skip_because;  // why a claimed file is skipped: it cannot be read
};

// What a format is recognised by. Formats are asked in this order, equals in the order of the table.
enum class Evidence : std::uint8_t {
  kOpening,  // the first characters of the content
  kHeader,   // a first line that names columns
  kLines,    // the layout of the first lines
  kNone,     // takes what no other format claims
};

struct SourceFormat {
  std::string_view name;  // the value of --format, and the name in reports
  Evidence evidence;
  // A file is one record, and its name the id. A damaged file is one bad record; of other formats, it ends the build.
  bool whole_file = false;
  // Nothing in a file says how its text is encoded: all of it is UTF-8, or else in what encoding_of_file() tells.
  bool one_encoding = false;
  // Any thread. Called only if --format does not name a format, or whole_file is set.
  Sniffed (*sniff)(const Head& head);
  // A cutter for one file. Records longer than `max_bytes` are bad records.
  std::unique_ptr<RecordCutter> (*cut)(std::size_t max_bytes);
  // The fields of one record, as it has them: the id may be empty, fields too long; finish_document() does the rest.
  // Any thread; any bytes. kInvalid says what is wrong with the record.
  Result<Document> (*parse)(const RawRecord& record);
  ParseCost (*cost)(const RawRecord& record);     // see parse_cost()
  std::string (*no_id)(const FieldNames& names);  // why a document with an empty id is refused
  // As `parse`, with these names of fields, and the document's prior from the field of this name, if it is not empty.
  // Null: records have no fields of any name. CSV's are named in its header, for `cut`.
  Result<Document> (*parse_fields)(const RawRecord& record, const FieldNames& names,
                                   std::string_view prior_field) = nullptr;
};

}  // namespace frond::indexer::ingest
