#pragma once
// One record of each format to a document. All are thread-safe and survive any bytes; kInvalid says what is wrong with
// the record. What they give is finished by finish_document(): the id may be empty, fields may be too long. A new
// format is one file and one line in parse_record()'s table.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/record_reader.h"

namespace frond::indexer::ingest {

// One JSON object. Fields are called as in field_names.h. Text, numbers, truth values and lists of them are taken: the
// values of a list stand one behind the other, in the body one a line. Other fields are not looked at. Missing or null
// fields are empty, but one of title and body has to be there, and the id is text or a whole number.
Result<Document> parse_jsonl(const RawRecord& record);
// id, tab, text; further tabs are text. Or id, URL, title and text, when the second is an http(s) URL and there are
// four.
Result<Document> parse_tsv(const RawRecord& record);
// A row below the header that record.columns was made of.
Result<Document> parse_csv(const RawRecord& record);
// What stands between <DOC> and </DOC>: <DOCNO>, perhaps <DOCHDR> whose first word is the URL, then text or HTML in any
// encoding. The title is that of <TITLE>, <HEADLINE>, <TTL> or <HL>.
Result<Document> parse_trec(const RawRecord& record);
// What stands between "<doc " and "</doc>" in a file of wikiextractor: id, URL and title as attributes, text.
Result<Document> parse_wikiextractor(const RawRecord& record);
// A text, Markdown, HTML or roff file, told by name and content, in any encoding. The id is the file's name below its
// folder; the title the document's own, else the file's last name.
Result<Document> parse_text_file(const RawRecord& record);

// What a JSON object has, for telling formats.
struct JsonFields {
  bool object = false;  // it is one, whole and valid
  bool id = false, title_or_body = false, body = false;
};
JsonFields fields_of_json(std::string_view object);

}  // namespace frond::indexer::ingest
