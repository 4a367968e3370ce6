#pragma once
// What a source format consists of. formats.cc has the table of all formats: a new one is a file that defines a
// SourceFormat, and a line there.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.h"
#include "indexer/ingest/files/skipped.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/ingest/records/raw_record.h"
#include "indexer/ingest/records/record_cutter.h"

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
  std::string_view text = {};  // set by tell_format(): plain_beginning() of the bytes, without white space before it
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

// For formats whose records name their fields. CSV's are named in its header, for SourceFormat::cut.
struct NamedFields {
  const FieldNames& names = usual_field_names();
  std::string_view prior = {};  // which one holds a document's prior; empty: no document has one
  FieldReading reading = {};    // fields of the schema; of formats without has_names, no record has any
};

struct SourceFormat {
  std::string_view name;  // the value of --format, and the name in reports
  Evidence evidence;
  // A file is one record, and its name the id. A damaged file is one bad record; of other formats, it ends the build.
  bool whole_file = false;
  // Nothing in a file says how its text is encoded: all of it is UTF-8, or else in what encoding_of_file() tells.
  bool one_encoding = false;
  // Whether the fields of records have names, and whether one of them may be a document's prior.
  bool has_names = false, has_prior = false;
  // Any thread. Called only if --format does not name a format, or whole_file is set.
  Sniffed (*sniff)(const Beginning& head);
  // A cutter for one file. Records longer than `max_bytes` are bad records.
  std::unique_ptr<RecordCutter> (*cut)(std::size_t max_bytes);
  // The fields of one record, as it has them: the id may be empty, fields too long; finish_document() does the rest.
  // Any thread; any bytes. kInvalid says what is wrong with the record.
  Result<Document> (*parse)(const RawRecord& record, const NamedFields& fields);
  ParseCost (*cost)(const RawRecord& record);  // see parse_cost()
  std::string_view no_id = "the id is empty";  // why one is refused where fields have no names
};

// The source formats there are. The order is fixed: reports list formats in it.
std::span<const SourceFormat* const> source_formats();
// The place of a format in source_formats().
std::size_t index_of(const SourceFormat& format);

// The value of --format that has each file's format recognised. In the program it is a null pointer.
inline constexpr std::string_view kAutoFormat = "auto";
// The values of --format: "auto|jsonl|…".
std::string format_names();
// No value: there is no such format.
std::optional<const SourceFormat*> format_named(std::string_view name);

// The format of a file, or why the file is skipped.
//
// If `wanted` is not null, files are of that format unless their first bytes show that they hold no text. Otherwise the
// formats are asked in the order of their evidence. Most files of a folder are documents, so in a folder JSON needs a
// field of text, and CSV or TSV a name that says so.
std::variant<const SourceFormat*, SkipReason> tell_format(const Beginning& file, const SourceFormat* wanted);

// JSON objects: a line each (jsonl), or in an array or one after the other (json). Fields have the names of
// FieldNames; others are ignored. Text, numbers, true, false and lists of them are taken; the values of a list are
// joined by spaces, in the body by line ends. Missing or null fields are empty, but title or body must be there, and
// the id is text or a whole number. UTF-8.
extern const SourceFormat kJsonl, kJson;

// TSV: a document a line. The columns are id, tab, text, in which further tabs are text; or, as in MS MARCO, id, URL,
// title and text, if there are four columns and the second is an http or https URL. UTF-8.
extern const SourceFormat kTsv;

// Whether this beginning of a file looks like TSV: nearly all lines have an id without spaces, and a tab behind it.
bool looks_like_tsv(std::string_view beginning);

// CSV (RFC 4180), also with semicolons or tabs: rows of fields below a header that names them, as FieldNames says.
// UTF-8. A row has as many columns as the header.
extern const SourceFormat kCsv;

// TREC's text and web collections: what stands between <DOC> and </DOC>. It has <DOCNO>, and then text or markup in any
// encoding. The title is that of <TITLE>, <HEADLINE>, <TTL> or <HL>. In web collections <DOCHDR> comes before the page:
// the first word of its first line is the URL, and what follows is the HTTP response's head, whose charset is used. A
// page that is neither called HTML nor begins like it, such as the text of a PDF, is taken as it is.
extern const SourceFormat kTrec;

// What stands between "<doc " and "</doc>" in the files that wikiextractor writes: id, URL and title as attributes,
// then text in any encoding.
extern const SourceFormat kWikiextractor;

// One document a file: text, Markdown, HTML or a manual page, recognised by name and content, in any encoding. The id
// is the file's path below its folder; the title is the document's own, or else the file's last name.
extern const SourceFormat kFiles;

// Web archives: WARC files, plain or compressed, also with each record compressed by itself. A response is the page
// that a server sent: HTML or text, in any encoding. A resource or a conversion is a page without an HTTP head: Common
// Crawl's WET files have such. Everything else is skipped and counted by reason. The id is the record's.
//
// Bodies are taken out of their chunks and decompressed by the cutter, so that a record's size is that of its page,
// which limits apply to, and its type can be told.
extern const SourceFormat kWarc;
// ARC, the format before it: the same, but for the heads of records. The id is the date of the visit and the URL.
extern const SourceFormat kArc;

// MediaWiki's XML export, as Special:Export and Wikipedia's dumps have it: pages of articles with their markup. The id
// is the page's number; of several revisions the last one counts. Redirects, pages of other namespaces, and pages that
// are no wikitext are skipped and counted by reason.
//
// Not a reader of any XML: MediaWiki writes each element's start tag without a break, escapes all markup in texts, and
// has neither comments, CDATA nor declarations of entities between its elements. So pages are found by their tags,
// hostile declarations mean nothing, and pages are taken apart by all parser threads.
extern const SourceFormat kWiki;

}  // namespace frond::indexer::ingest
