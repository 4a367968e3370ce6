#include "indexer/pipeline/sequencer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "indexer/pipeline/batch.h"
#include "indexer/pipeline/batch_filler.h"

namespace frond::indexer::pipeline {

Result<void> BadRecordLog::bad(const ingest::BadRecord& record) {
  if (++counts_.bad_records <= kReportedRecords)
    logger_.warn("bad record", {{"file", record.file},
                                {"record", std::to_string(record.number)},
                                {"offset", std::to_string(record.offset)},
                                {"reason", record.reason}});
  counts_.last_bad = to_string(record);
  if (counts_.bad_records <= max_bad_records_) return {};
  return Error(Code::kInvalid, "more than " + std::to_string(max_bad_records_) +
                                   " bad records (--max-bad-records); the last: " + counts_.last_bad);
}

void BadRecordLog::duplicate(const ingest::RecordPlace& record, std::string_view id) {
  if (++counts_.duplicates > kReportedRecords) return;
  logger_.warn("duplicate id", {{"file", std::string(record.file)},
                                {"record", std::to_string(record.number)},
                                {"offset", std::to_string(record.offset)},
                                {"reason", "the id '" + std::string(id) + "' was there before; the first stays"}});
}

void BadRecordLog::altered(const ingest::RecordPlace& record, const parse::AlteredDocument& how) {
  const std::string where = std::string(record.file) + ": record " + std::to_string(record.number);
  if (how.title_cut) counts_.titles_cut.add(where);
  if (how.url_dropped) counts_.urls_dropped.add(where);
  if (how.not_utf8) counts_.not_utf8.add(where);
  if (how.values_left_out) counts_.values_left_out.add(where);
  if (how.impacts_cut) counts_.impacts_cut.add(where);
}

void BadRecordLog::finish() {
  const auto say = [this](const char* what, std::uint64_t count) {
    if (count > kReportedRecords)
      logger_.warn(what, {{"count", std::to_string(count)}, {"reported", std::to_string(kReportedRecords)}});
  };
  say("bad records", counts_.bad_records);
  say("duplicate ids", counts_.duplicates);
}

namespace {

constexpr std::uint64_t kDoubledShare = 8;  // of the memory for ids
constexpr std::size_t kIdsAhead = 16;       // whose places are fetched into the caches

}  // namespace

Sequencer::Sequencer(std::uint32_t partitions, std::optional<IdLog> id_log, Seen seen, std::uint64_t max_id_bytes,
                     BadRecordLog& log)
    : partitions_(partitions),
      sample_(std::move(seen.sample)),
      ids_(std::move(seen.ids)),
      id_log_(std::move(id_log)),
      max_id_bytes_(max_id_bytes),
      log_(log),
      next_(seen.documents),
      tokens_(seen.tokens) {
  ids_.double_below(max_id_bytes_ / kDoubledShare);
}

Result<void> Sequencer::number(Batch& batch) {
  for (std::size_t i = 0; i < batch.parsed.bad.size(); ++i) {
    if (i + 1 == BatchFiller::kMaxDetails) log_.left_out(batch.bad_left_out);
    FROND_TRY(log_.bad(batch.parsed.bad[i]));
  }
  for (const parse::AlteredDocument& document : batch.parsed.altered)
    log_.altered(ingest::place_of(batch.records[document.record], document.line), document);
  look_at_ids(batch);
  if (id_log_) FROND_TRY(id_log_->add(new_ids_));
  if (ids_.bytes() > max_id_bytes_)
    return Error(Code::kInvalid, "the ids of " + std::to_string(ids_.size()) + " documents need " +
                                     std::to_string(ids_.bytes() >> 20) + " MiB, and " +
                                     std::to_string(max_id_bytes_ >> 20) +
                                     " MiB of the memory limit are for them; raise --memory-limit");
  if (next_ / partitions_ >= kNoDoc)
    return Error(Code::kInvalid, "more than 2^32 - 1 documents in a partition; raise --partitions");
  look_at_fields(batch);
  return {};
}

// Numbers the documents whose ids are new.
void Sequencer::look_at_ids(Batch& batch) {
  const std::vector<parse::ParsedDocument>& documents = batch.parsed.documents;
  batch.has_duplicates = false;
  batch.numbers.clear();
  new_ids_.clear();
  for (std::size_t i = 0; i < std::min(kIdsAhead, documents.size()); ++i) ids_.fetch(documents[i].id);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (i + kIdsAhead < documents.size()) ids_.fetch(documents[i + kIdsAhead].id);
    const parse::ParsedDocument& document = documents[i];
    if (ids_.insert(document.id)) {
      batch.numbers.push_back(next_++);
      tokens_ += document.length;
      if (id_log_) new_ids_.push_back(document.id);
    } else {
      batch.numbers.push_back(invert::kDropped);
      batch.has_duplicates = true;
    }
  }
}

// Takes samples, and logs duplicates.
void Sequencer::look_at_fields(const Batch& batch) {
  for_each_fields(batch.parsed, [&](std::size_t i, ByteView fields, ByteView) {
    if (batch.numbers[i] != invert::kDropped) {
      sample_.add(batch.numbers[i], fields);
      return;
    }
    const parse::ParsedDocument& document = batch.parsed.documents[i];
    ByteReader in(fields);
    log_.duplicate(ingest::place_of(batch.records[document.record], document.line), runs::read_fields(in).id);
  });
}

Result<void> Sequencer::flush() { return id_log_ ? id_log_->flush() : Result<void>(); }

}  // namespace frond::indexer::pipeline
