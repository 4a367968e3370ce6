#pragma once
// A JSON object to a document; with json_record.h the only user of simdjson's parser.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/schema/inference.h"
#include "indexer/ingest/formats/formats.h"

namespace frond::indexer::ingest {

// A record may bring what is kept as its source, an object, in place of itself: where it was made of another document
// (docs/input-formats.md). It is kept as it is written, with these numbers of the record before it: {"_seq_no":7,
// "_version":2,"_source":{…}}. None of the members is indexed.
inline constexpr std::string_view kSourceMember = "_source";
inline constexpr std::string_view kSourceNumbers[] = {"_seq_no", "_version"};

// SourceFormat::parse of both JSON formats: what formats.h says.
Result<Document> parse_json(const RawRecord& record, const NamedFields& fields);

// Tells a schema's inference of the members of a record that is a JSON object, as a document of its own; nothing of one
// that the parser refuses. What the record has as its title and body by `names` are the members "title" and "body",
// and strings.
void tell_members(const RawRecord& record, const FieldNames& names, schema::SchemaInference& to);

// What an object has, to recognise the format of a file.
struct JsonFields {
  bool object = false;  // it is a whole and valid object
  bool id = false, title_or_body = false, body = false;
};
JsonFields fields_of_json(std::string_view json, const FieldNames& names);

// For JSON that simdjson refuses for a value that it cannot hold, although other readers take it: numbers of any length
// or size, NaN and Infinity, half surrogate pairs, values that nest deeply. In it every number but short whole ones
// stands aside: in its place there is its place in `begins`, as a number with an exponent, which simdjson takes for a
// double. Deep values are null. Half surrogates are U+FFFD.
class JsonWords {
 public:
  static constexpr std::size_t kMaxDepth = 64;  // brackets inside one another

  // `json` is valid UTF-8. kInvalid: a word that is no JSON, nor NaN or Infinity; the message names it.
  static Result<JsonWords> set_aside(std::string_view json, std::size_t max_depth = kMaxDepth);
  std::string json;
  bool lenient = false;  // it is no JSON: NaN, Infinity, half surrogates
  bool deep = false;     // there are values that nest too deeply
  // The word that stands for `double`, as it was written.
  std::string_view written(double place) const;

 private:
  std::string source_;
  std::vector<std::uint32_t> begins_;
};

// Whether `word` is a number of JSON's grammar, of any length.
bool is_json_number(std::string_view word);

// Cuts JSON values that follow one another, or that are the elements of one array. Looks at brackets and strings only;
// whether a value is valid JSON is for the parser to say. A value in which one of these is missing is a bad record,
// that ends where the next object begins.
std::unique_ptr<RecordCutter> json_cutter(std::size_t max_bytes);

}  // namespace frond::indexer::ingest
