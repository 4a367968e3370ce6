#pragma once
// One record of each format to a document. All are thread-safe and survive any bytes; kInvalid says what is wrong with
// the record. A new format is one file and one line in parse_record()'s table.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/record_reader.h"

namespace frond::indexer {

// {"id": string or whole number, "contents": string, "url", "title"}; "_id" and "docid" are taken for "id", "body" and
// "text" for "contents". Missing or null fields are empty, but one of title and contents has to be there.
Result<Document> parse_jsonl(const RawRecord& record);
// id, tab, text; further tabs are text.
Result<Document> parse_tsv(const RawRecord& record);
// What stands between <DOC> and </DOC>: <DOCNO>, perhaps <DOCHDR> whose first word is the URL, then text or HTML in any
// encoding. The title is that of <TITLE>, <HEADLINE>, <TTL> or <HL>.
Result<Document> parse_trec(const RawRecord& record);
// A text, Markdown, HTML or roff file, told by name and content, in any encoding. The id is the file's name below its
// folder; the title the document's own, else the file's last name.
Result<Document> parse_text_file(const RawRecord& record);

// kInvalid unless `id` is fit to be Document::id.
Result<void> check_id(std::string_view id);

}  // namespace frond::indexer
