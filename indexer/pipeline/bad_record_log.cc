#include "indexer/pipeline/bad_record_log.h"

namespace frond::indexer::pipeline {

void BadRecordLog::go_on_from(const InvertedDocuments& counted) {
  bad_ = counted.bad_records;
  duplicates_ = counted.duplicates;
  last_bad_ = counted.last_bad;
  titles_cut_ = counted.titles_cut;
  urls_dropped_ = counted.urls_dropped;
  not_utf8_ = counted.not_utf8;
}

Result<void> BadRecordLog::bad(const ingest::BadRecord& record) {
  if (++bad_ <= kReportedRecords)
    logger_.warn("bad record", {{"file", record.file},
                                {"record", std::to_string(record.number)},
                                {"offset", std::to_string(record.offset)},
                                {"reason", record.reason}});
  last_bad_ = to_string(record);
  if (bad_ <= max_bad_records_) return {};
  return Error(Code::kInvalid, "more than " + std::to_string(max_bad_records_) +
                                   " bad records (--max-bad-records); the last: " + last_bad_);
}

void BadRecordLog::duplicate(const ingest::RecordPlace& record, std::string_view id) {
  if (++duplicates_ > kReportedRecords) return;
  logger_.warn("duplicate id", {{"file", std::string(record.file)},
                                {"record", std::to_string(record.number)},
                                {"offset", std::to_string(record.offset)},
                                {"reason", "the id '" + std::string(id) + "' was there before; the first stays"}});
}

void BadRecordLog::altered(const ingest::RecordPlace& record, const parse::AlteredDocument& how) {
  const std::string where = std::string(record.file) + ": record " + std::to_string(record.number);
  if (how.title_cut) titles_cut_.add(where);
  if (how.url_dropped) urls_dropped_.add(where);
  if (how.not_utf8) not_utf8_.add(where);
}

void BadRecordLog::finish() {
  const auto say = [this](const char* what, std::uint64_t count) {
    if (count > kReportedRecords)
      logger_.warn(what, {{"count", std::to_string(count)}, {"reported", std::to_string(kReportedRecords)}});
  };
  say("bad records", bad_);
  say("duplicate ids", duplicates_);
}

}  // namespace frond::indexer::pipeline
