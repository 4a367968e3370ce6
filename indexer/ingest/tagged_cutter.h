#pragma once
// Records between an opening and a closing tag: TREC and wikiextractor. What stands between records is dropped.
#include <memory>
#include <string_view>

#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {

// Where `tag` is in text[from…], in any case; `tag` has small letters and begins with none. npos: it is not there.
std::size_t find_tag(std::string_view text, std::string_view tag, std::size_t from = 0);

// Tags have small letters here, and are found in any case.
struct DocumentTags {
  std::string_view begin, end;
  std::string_view next_begin;  // `begin` at the beginning of a line
  // What is wrong with a record that has no closing tag before the end of the file, or before the next opening tag.
  std::string_view no_end, no_end_before_next;
};
// `tags` outlives the cutter.
std::unique_ptr<RecordCutter> tagged_cutter(const DocumentTags& tags, std::size_t max_bytes);

}  // namespace frond::indexer::ingest
