#include "indexer/ingest/records/raw_record.h"

namespace frond::indexer::ingest {

BadRecord bad_record(const RawRecord& record, const Error& error) {
  return {record.file, record.number, record.offset, error.message()};
}

std::string to_string(const BadRecord& bad) {
  std::string text = bad.file + ": ";
  if (bad.number > 0) text += "record " + std::to_string(bad.number) + " at byte " + std::to_string(bad.offset) + ": ";
  return text + bad.reason;
}

}  // namespace frond::indexer::ingest
