#include "indexer/ciff/ciff.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common/text/limits.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/ingest/records/document.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/pipeline/ids.h"
#include "indexer/runs/document_spool.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::ciff {
namespace {

constexpr std::size_t kPiece = runs::kMaxRecordPostings;
constexpr std::size_t kFrameDocuments = 256;
// Java sorts terms by UTF-16, which differs from byte order at a few places. Each begins runs anew.
constexpr std::uint64_t kMaxRounds = 100;

bool is_queryable(std::string_view term) {
  return !term.empty() && term.size() <= text::kMaxTermBytes && term.find('\0') == term.npos;
}

class Import {
 public:
  Import(const ImportOptions& options, const std::filesystem::path& folder, CiffReader& reader,
         pipeline::InvertProgress& progress, std::stop_token stop)
      : options_(options), folder_(folder), reader_(reader), progress_(progress), stop_(std::move(stop)) {}

  Result<Imported> run() {
    FROND_TRY(begin());
    FROND_TRY(read_lists());
    FROND_TRY(read_documents());
    return std::move(all_);
  }

 private:
  struct Pending {
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
  };

  Result<void> begin() {
    const std::uint64_t documents = reader_.header().documents;
    const bool cuts = options_.max_frequency < ~Frequency{0};
    const std::uint64_t bytes = documents * sizeof(std::uint32_t) * (cuts ? 2 : 1);
    if (bytes > options_.memory.limit / 2)
      return Error(Code::kInvalid, "the lengths of " + std::to_string(documents) + " documents need " +
                                       ingest::in_mebibytes(bytes) + ", more than half of --memory-limit");
    sums_.resize(documents);
    if (cuts) cut_off_.resize(documents);
    pending_.resize(options_.partitions);
    all_.inverted.partitions.resize(options_.partitions);
    all_.inverted.files_read.resize(ingest::source_formats().size());
    all_.description = reader_.header().description;
    return {};
  }

  Error wrong(const std::string& what) const { return {Code::kInvalid, options_.input.string() + ": " + what}; }
  Result<void> expect_time() const {
    if (stop_.stop_requested()) return Error(Code::kUnavailable, "stopped");
    return {};
  }

  Result<void> read_lists() {
    std::string last;
    while (const std::optional<CiffList> list = FROND_TRY(reader_.next_list())) {
      FROND_TRY(expect_time());
      const bool queryable = is_queryable(list->term);
      if (!queryable) all_.terms_left_out.add(list->term.substr(0, 80));
      if (queryable && list->term <= last) {
        if (list->term == last) return wrong("the term '" + last + "' has two postings lists");
        FROND_TRY(end_runs());
      }
      if (queryable) last = list->term;
      FROND_TRY(read_list(list->term, queryable));
      progress_.bytes = reader_.bytes_read();
      progress_.stored_bytes = reader_.bytes_read();
    }
    return end_runs();
  }

  Result<void> read_list(const std::string& term, bool queryable) {
    std::array<DocId, kPiece> docids;
    std::array<Frequency, kPiece> frequencies;
    for (;;) {
      const std::size_t count = FROND_TRY(reader_.read_postings(docids, frequencies));
      for (std::size_t i = 0; queryable && i < count; ++i) {
        std::uint32_t& sum = sums_[docids[i]];
        if (frequencies[i] > ~(sum + cut_off(docids[i])))
          return wrong("document " + std::to_string(docids[i]) + " has more than 2^32 - 1 tokens");
        cut(docids[i], frequencies[i]);
        sum += frequencies[i];
        const std::uint32_t p = docids[i] % options_.partitions;
        pending_[p].docids.push_back(docids[i] / options_.partitions);
        pending_[p].frequencies.push_back(frequencies[i]);
        if (pending_[p].docids.size() == kPiece) FROND_TRY(write(term, p));
      }
      if (count < kPiece) break;
    }
    for (std::uint32_t p = 0; queryable && p < options_.partitions; ++p)
      if (!pending_[p].docids.empty()) FROND_TRY(write(term, p));
    return {};
  }

  std::uint32_t cut_off(std::uint64_t docid) const { return cut_off_.empty() ? 0 : cut_off_[docid]; }
  void cut(DocId docid, Frequency& frequency) {
    if (frequency <= options_.max_frequency) return;
    if (cut_off_[docid] == 0)
      all_.inverted.impacts_cut.add(options_.input.string() + ": document " + std::to_string(docid));
    cut_off_[docid] += frequency - options_.max_frequency;
    frequency = options_.max_frequency;
  }

  Result<void> write(const std::string& term, std::uint32_t p) {
    if (writers_.empty()) {
      if (++rounds_ > kMaxRounds) return wrong("the postings lists are not in the order of their terms");
      for (std::uint32_t i = 0; i < options_.partitions; ++i)
        writers_.push_back(FROND_TRY(runs::RunWriter::create(
            folder_ / ("run-" + std::to_string(rounds_) + "-p" + std::to_string(i)), i, options_.memory.frame_bytes)));
    }
    FROND_TRY(writers_[p].add(term, pending_[p].docids, pending_[p].frequencies));
    pending_[p].docids.clear();
    pending_[p].frequencies.clear();
    return {};
  }
  Result<void> end_runs() {
    for (runs::RunWriter& writer : writers_) {
      const runs::RunFile run = FROND_TRY(writer.finish());
      all_.inverted.partitions[run.partition].runs.push_back(run.path);
      ++all_.inverted.runs;
      all_.inverted.run_bytes += run.bytes;
    }
    writers_.clear();
    return {};
  }

  Result<void> read_documents() {
    std::vector<runs::SpoolWriter> spools;
    std::vector<runs::DocumentFrameWriter> frames(options_.partitions);
    for (std::uint32_t p = 0; p < options_.partitions; ++p) {
      all_.inverted.partitions[p].spool = folder_ / ("spool-p" + std::to_string(p));
      spools.push_back(
          FROND_TRY(runs::SpoolWriter::create(all_.inverted.partitions[p].spool, options_.memory.spool_bytes)));
    }
    pipeline::IdSet ids;
    ByteBuffer fields, frame;
    while (const std::optional<CiffDocument> document = FROND_TRY(reader_.next_document())) {
      const std::uint64_t number = all_.inverted.documents++;
      const std::uint32_t length = FROND_TRY(length_of(*document, number));
      if (const auto good = ingest::check_id(document->id); !good)
        return wrong("document " + std::to_string(number) + ": " + good.error().message());
      if (!ids.insert(parse::hash_id(document->id))) return wrong("two documents have the id '" + document->id + "'");
      if (ids.bytes() > options_.memory.ids)
        return wrong("the ids of more than " + std::to_string(number) + " documents do not fit into --memory-limit");
      all_.inverted.tokens += length;
      fields.clear();
      ByteWriter out(fields);
      out.put_text(document->id);
      for (int empty = 0; empty < 3; ++empty) out.put_text({});  // URL, title and body
      all_.inverted.sample.add(number, fields);
      const std::size_t p = number % options_.partitions;
      frames[p].add_fields(fields, length);
      if (frames[p].documents() == kFrameDocuments) {
        FROND_TRY(expect_time());
        frames[p].finish(frame);
        FROND_TRY(spools[p].append(frame));
        progress_.documents = all_.inverted.documents;
      }
    }
    for (std::uint32_t p = 0; p < options_.partitions; ++p) {
      frames[p].finish(frame);
      FROND_TRY(spools[p].append(frame));
      FROND_TRY(spools[p].finish());
    }
    progress_.documents = all_.inverted.documents;
    all_.inverted.bytes = reader_.bytes_read();
    return {};
  }
  Result<std::uint32_t> length_of(const CiffDocument& document, std::uint64_t number) const {
    const std::uint32_t sum = sums_[number] + cut_off(number);  // in the file
    if (options_.lengths == Lengths::kPostings || document.length == sum) return sums_[number];
    return wrong("document '" + document.id + "' has length " + std::to_string(document.length) +
                 ", but its frequencies sum to " + std::to_string(sum) +
                 ". Frond's lengths are exact: --lengths postings takes the sums");
  }

  const ImportOptions& options_;
  const std::filesystem::path& folder_;
  CiffReader& reader_;
  pipeline::InvertProgress& progress_;
  std::stop_token stop_;
  Imported all_;
  std::vector<std::uint32_t> sums_;  // of frequencies, by docID
  std::vector<std::uint32_t>
      cut_off_;                   // by docID, what its frequencies above max_frequency had more; empty: no maximum
  std::vector<Pending> pending_;  // of the list at hand, by partition
  std::vector<runs::RunWriter> writers_;
  std::uint64_t rounds_ = 0;
};

}  // namespace

Result<Imported> import_ciff(const ImportOptions& options, const std::filesystem::path& folder,
                             pipeline::InvertProgress& progress, std::stop_token stop) {
  FROND_TRY(ingest::check_input(options.input));
  ingest::InputCensus census;
  census.add({options.input, options.input.filename().string()});
  progress.stored_total = census.bytes();
  const auto reader = FROND_TRY(CiffReader::open(options.input));
  Imported all = FROND_TRY(Import(options, folder, *reader, progress, std::move(stop)).run());
  all.inverted.input = census.summary();
  return all;
}

}  // namespace frond::indexer::ciff
