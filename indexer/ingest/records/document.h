#pragma once
// A document as a source format gives it to the analyzer and the store.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "common/scoring/prior.h"
#include "common/text/limits.h"
#include "indexer/ingest/records/document_fields.h"

namespace frond::indexer::ingest {

struct SourceFormat;

using partition::kMaxDocumentBytes;
using text::kMaxIdBytes;
using text::kMaxTitleBytes;
using text::kMaxUrlBytes;

// All four fields are valid UTF-8 and have at most kMaxDocumentBytes together. The id is not empty and has at most
// kMaxIdBytes and no control characters. URL, title and body may be empty, and have no NULs; kMaxTitleBytes and
// kMaxUrlBytes bound them.
struct Document {
  std::string id, url, title, body;
  scoring::Prior prior = 0;    // its static prior
  bool title_cut = false;      // the title was too long: the rest begins the body
  bool url_dropped = false;    // the URL was too long
  bool not_utf8 = false;       // the record was decoded, or bytes of it became U+FFFD; of formats with one_encoding
  DocumentFields fields = {};  // of a collection with a schema
};

// The usual names of fields in JSON and of columns in CSV.
inline constexpr std::array<std::string_view, 5> kIdNames = {"id", "_id", "pid", "docid", "doc_id"};
inline constexpr std::array<std::string_view, 1> kUrlNames = {"url"};
inline constexpr std::array<std::string_view, 1> kTitleNames = {"title"};
inline constexpr std::array<std::string_view, 5> kBodyNames = {"contents", "body", "text", "content", "passage"};

// If a record has several of a list, the first one counts.
struct FieldNames {
  std::vector<std::string> id{kIdNames.begin(), kIdNames.end()};
  std::vector<std::string> url{kUrlNames.begin(), kUrlNames.end()};
  std::vector<std::string> title{kTitleNames.begin(), kTitleNames.end()};
  std::vector<std::string> body{kBodyNames.begin(), kBodyNames.end()};
  bool join_bodies = false;  // all of `body` count, one behind the other
  // In JSON, a name with dots is also a path: "article.body" is "body" in "article", which may be a list of objects.
  bool paths = false;
};
// Those that records have unless others are asked for.
const FieldNames& usual_field_names();
// Null stands for the usual ones.
inline const FieldNames& names_or_usual(const FieldNames* names) {
  return names == nullptr ? usual_field_names() : *names;
}

// "\"id\", \"_id\"": for messages.
std::string quoted(const std::vector<std::string>& names);

// kInvalid unless `id` may be a Document's.
Result<void> check_id(std::string_view id);

// An id for a document without one: XXH3-128 of URL, title, body and the fields of a schema as 32 hexadecimal digits.
// Equal documents get equal ids.
std::string content_id(const Document& document);

// Turns what a parser of `format` gave into what a Document promises. NULs are dropped. A document without an id gets
// its content_id() if `make_ids` is set. The end of a title that is too long moves to the front of the body, so no word
// is cut or lost. A URL that is too long is dropped. kInvalid: no id, one that check_id() refuses, or more than
// kMaxDocumentBytes in all.
// With a schema that keeps sources, a record that brought none is kept as an object of its four texts.
Result<void> finish_document(Document& document, const SourceFormat& format, bool make_ids,
                             const FieldNames& names = usual_field_names(), const FieldReading& reading = {});

// Memory of long texts that a thread uses again: threads that take and free it for each document wait for each other in
// the allocator. Any thread, each for itself.
inline constexpr std::size_t kMaxTextMemory = std::size_t{1} << 20;  // a thread keeps no more

inline std::string& text_memory() {
  thread_local std::string memory;
  return memory;
}
// An empty text, which may have memory that was given back.
inline std::string take_text_memory() {
  std::string text = std::exchange(text_memory(), {});
  text.clear();
  return text;
}
inline void give_text_memory(std::string&& text) {
  if (text.capacity() > text_memory().capacity() && text.capacity() <= kMaxTextMemory) text_memory() = std::move(text);
}

}  // namespace frond::indexer::ingest
