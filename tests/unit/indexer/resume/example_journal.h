#pragma once
// A journal with something in every member.
#include "indexer/resume/journal.h"

namespace frond::indexer::resume {

inline Journal example_journal(const std::filesystem::path& folder) {
  Journal journal;
  journal.identity = {"1.0 abcdef", {{"--stemmer", "porter"}, {"--b", "0.4"}}, {3, 4711, "00ff"}};
  journal.session = 2;
  journal.stage = Stage::kInverted;
  journal.checkpoint.position = {3, 17, 100, 200, 150, {1, 0, 2}, {}};
  pipeline::InvertedDocuments& all = journal.checkpoint.so_far;
  all.partitions = {{{folder / "cpu0-0-p0.run", folder / "s1-cpu0-0-p0.run"}, folder / "spool-p0", 1000},
                    {{}, folder / "spool-p1", 8}};
  all.sample = *pipeline::FieldSample::of(2, ByteBuffer(5), {2, 3});
  all.input = {3, 4711, "ab"};
  all.files_read = {1, 0, 2};
  all.skipped.add(ingest::SkipReason::kPdf, "a.pdf");
  all.skipped_records.add(ingest::SkipReason::kHttpStatus, "a.warc: record 5");
  all.titles_cut.add("b: record 2");
  all.not_utf8.add("b: record 3");
  all.order = "bp";
  all.last_bad = "c: record 3: why";
  all.documents = 9;
  all.tokens = 80;
  all.bytes = 300;
  all.bad_records = 1;
  all.duplicates = 2;
  all.runs = 2;
  all.run_bytes = 77;
  journal.run_bytes = {{70, 7}, {}};
  journal.checkpoint.ids_xxh3 = "0123";
  partition::PartitionSummary summary;
  summary.documents = 4;
  summary.tokens = 40;
  summary.built_average_length = 8.75;
  summary.files = {{"terms-0001.sst", 12, "cd"}};
  journal.finished = {{1, "g1-p1-0123", summary}};
  return journal;
}

}  // namespace frond::indexer::resume
