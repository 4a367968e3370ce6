#include "common/partition/terms/term_lists.h"

#include <utility>

#include "common/partition/format/format.h"

namespace frond::partition {

Result<TermStatistics> TermLists::term(std::string_view term) const { return FROND_TRY(record_of(term)).statistics; }

Result<TermList> TermLists::list(std::string_view term) const {
  Record record = FROND_TRY(record_of(term));
  TermList list{record.statistics, {}};
  list.segments.reserve(record.statistics.segments);
  if (!record.inline_list.bytes().empty()) {
    list.segments.push_back(std::move(record.inline_list));
    return list;
  }
  for (std::uint32_t i = 0; i < record.statistics.segments; ++i) list.segments.push_back(FROND_TRY(stored(term, i)));
  return list;
}

Result<TermLists::Record> TermLists::record_of(std::string_view term) const {
  PinnedBytes value = FROND_TRY(database_->get(Family::kTerms, term));
  auto record = decode_term(value.bytes());
  if (!record) return std::move(record).error().within(where(term));
  if (record->statistics.document_frequency > documents_)
    return Error(Code::kCorrupt, where(term) + ": in more documents than there are");
  // The list ends the record, so the readable bytes after the record follow the list.
  return Record{record->statistics, std::move(value).last(record->inline_list.size())};
}

Result<PinnedBytes> TermLists::stored(std::string_view term, std::uint32_t number) const {
  auto value = database_->get(Family::kPostings, list_key(term, number));
  if (!value && value.error().code() == Code::kNotFound)
    return Error(Code::kCorrupt, where(term) + ": segment " + std::to_string(number) + " is missing");
  return value;
}

}  // namespace frond::partition
