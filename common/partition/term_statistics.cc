#include "common/partition/term_statistics.h"

#include <algorithm>
#include <queue>

#include <rocksdb/iterator.h>
#include <rocksdb/sst_file_reader.h>

#include "common/partition/df_cache.h"
#include "common/partition/format.h"
#include "common/partition/mapped_file_system.h"
#include "common/partition/merge_of_term_files.h"
#include "common/partition/records.h"
#include "common/partition/rocks.h"
#include "common/partition/sst_file.h"
#include "common/text/term_limits.h"

namespace frond::partition {
namespace {

class SstTerms final : public GenerationTerms {
 public:
  explicit SstTerms(std::filesystem::path file) : file_(std::move(file)), reader_(options_with(*env_)) {}

  Result<void> load() {
    std::error_code failed;
    if (!std::filesystem::exists(file_, failed)) return Error(Code::kNotFound, file_.string() + ": no such file");
    const auto status = reader_.Open(file_.string());
    if (!status.ok()) return error_of(status, file_.string());
    const auto iterator = make_iterator();
    iterator->Seek(slice_of(totals_key()));
    if (!iterator->status().ok()) return error_of(iterator->status(), file_.string());
    if (!iterator->Valid() || text_of(iterator->key()) != totals_key())
      return Error(Code::kCorrupt, file_.string() + ": no totals: not a file of term statistics");
    auto totals = decode_totals(bytes_of(iterator->value()));
    if (!totals) return std::move(totals).error().within(file_.string());
    totals_ = *totals;
    return {};
  }

  Result<std::uint64_t> df(std::string_view term) const override {
    if (const auto kept = cache_.find(term)) return *kept;
    auto df = stored_df(term);
    if (df) cache_.put(term, *df);
    return df;
  }

  std::unique_ptr<DfReader> reader() const override { return std::make_unique<Reader>(*this); }
  const TermTotals& totals() const override { return totals_; }
  Result<void> intact() const override { return files_->intact(); }
  Result<void> check_files() const override { return files_->check(); }

  Result<void> for_each(const std::function<bool(std::string_view, std::uint64_t)>& visit) const override {
    return guarded(file_.string(), [&]() -> Result<void> {
      const auto iterator = make_iterator();
      for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
        if (text_of(iterator->key()) == totals_key()) break;
        if (!visit(text_of(iterator->key()), FROND_TRY(df_of(*iterator)))) return {};
      }
      if (!iterator->status().ok()) return error_of(iterator->status(), file_.string());
      return {};
    });
  }

  Result<void> verify_checksums() const override {
    return guarded(file_.string(), [&]() -> Result<void> {
      const auto status = reader_.VerifyChecksum();
      if (!status.ok()) return error_of(status, file_.string());
      return {};
    });
  }

 private:
  class Reader final : public DfReader {
   public:
    explicit Reader(const SstTerms& terms) : terms_(terms), iterator_(terms.make_iterator()) {}
    Result<std::uint64_t> df(std::string_view term) override {
      return guarded(terms_.file_.string(), [&] { return terms_.df_at(*iterator_, term); });
    }

   private:
    const SstTerms& terms_;
    std::unique_ptr<rocksdb::Iterator> iterator_;
  };
  static rocksdb::Options options_with(rocksdb::Env& env) {
    rocksdb::Options options = table_options();
    options.env = &env;
    return options;
  }
  Result<std::uint64_t> stored_df(std::string_view term) const {
    return guarded(file_.string(), [&]() -> Result<std::uint64_t> {
      const std::uint64_t df = FROND_TRY(df_at(*make_iterator(), term));
      if (df == 0) return Error(Code::kNotFound, where(term));
      return df;
    });
  }
  // 0: it is not there.
  Result<std::uint64_t> df_at(rocksdb::Iterator& iterator, std::string_view term) const {
    if (term.size() > text::kMaxTermBytes) return std::uint64_t{0};
    iterator.Seek(slice_of(term));
    if (iterator.Valid() && text_of(iterator.key()) == term) return df_of(iterator);
    if (!iterator.status().ok()) return error_of(iterator.status(), where(term));
    return std::uint64_t{0};
  }

  std::unique_ptr<rocksdb::Iterator> make_iterator() const {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    return std::unique_ptr<rocksdb::Iterator>(reader_.NewIterator(options));
  }
  std::string where(std::string_view term) const { return file_.string() + ": term " + printable(term); }

  Result<std::uint64_t> df_of(const rocksdb::Iterator& at) const {
    ByteReader reader(bytes_of(at.value()));
    const std::uint64_t df = reader.get_varint();
    if (!reader.ok() || !reader.at_end() || df == 0)
      return Error(Code::kCorrupt, where(text_of(at.key())) + ": not a document frequency");
    return df;
  }

  std::filesystem::path file_;
  std::shared_ptr<MappedFileSystem> files_ = std::make_shared<MappedFileSystem>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);  // outlives what reads through it
  mutable rocksdb::SstFileReader reader_;  // its reads are thread-safe, though not marked const
  TermTotals totals_;
  mutable DfCache cache_;
};

TermCursors cursors_of(std::span<const std::shared_ptr<const Partition>> partitions) {
  TermCursors cursors;
  for (const auto& partition : partitions) cursors.push_back(partition->terms());
  return cursors;
}

}  // namespace

Result<TermTotals> merge_terms(const TermCursors& cursors,
                               const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit) {
  const auto later = [](const TermCursor* a, const TermCursor* b) { return a->term() > b->term(); };
  std::priority_queue<TermCursor*, std::vector<TermCursor*>, decltype(later)> front(later);
  for (const auto& cursor : cursors)
    if (FROND_TRY(cursor->next())) front.push(cursor.get());
  TermTotals totals;
  std::string term;
  while (!front.empty()) {
    term.assign(front.top()->term());
    TermStatistics sum;
    while (!front.empty() && front.top()->term() == term) {
      TermCursor* const cursor = front.top();
      front.pop();
      sum.document_frequency += cursor->statistics().document_frequency;
      sum.occurrences += cursor->statistics().occurrences;
      sum.segments += cursor->statistics().segments;
      if (FROND_TRY(cursor->next())) front.push(cursor);
    }
    ++totals.terms;
    totals.postings += sum.document_frequency;
    totals.occurrences += sum.occurrences;
    FROND_TRY(visit(term, sum));
  }
  return totals;
}

Result<TermTotals> merge_terms(std::span<const std::shared_ptr<const Partition>> partitions,
                               const std::function<Result<void>(std::string_view, const TermStatistics&)>& visit) {
  return merge_terms(cursors_of(partitions), visit);
}

namespace {

// merge: Result<TermTotals>(visit), calls visit as merge_terms() does.
template <class Merge>
Result<TermTotals> write_merged(const std::filesystem::path& file, Merge merge) {
  return guarded(file.string(), [&]() -> Result<TermTotals> {
    SstFile out(file);
    FROND_TRY(out.open());
    ByteBuffer value;
    const auto put = [&](std::string_view term, const TermStatistics& statistics) -> Result<void> {
      value.clear();
      ByteWriter(value).put_varint(statistics.document_frequency);
      return out.put(term, value);
    };
    const TermTotals totals = FROND_TRY(merge(put));
    value.clear();
    encode_totals(totals, value);
    FROND_TRY(out.put(totals_key(), value));
    FROND_TRY(out.finish());
    return totals;
  });
}

}  // namespace

Result<TermTotals> write_term_statistics(const TermCursors& cursors, const std::filesystem::path& file) {
  return write_merged(file, [&](const auto& visit) { return merge_terms(cursors, visit); });
}

Result<TermTotals> write_term_statistics(std::span<const FilesOfPartition> partitions, std::uint32_t threads,
                                         const std::filesystem::path& file) {
  return write_merged(file, [&](const auto& visit) { return merge_terms_of_files(partitions, threads, visit); });
}

Result<TermTotals> write_term_statistics(std::span<const std::shared_ptr<const Partition>> partitions,
                                         const std::filesystem::path& file) {
  return write_term_statistics(cursors_of(partitions), file);
}

Result<TermTotals> write_term_statistics(const GenerationTerms& terms, const std::filesystem::path& file) {
  return guarded(file.string(), [&]() -> Result<TermTotals> {
    SstFile out(file);
    FROND_TRY(out.open());
    ByteBuffer value;
    TermTotals totals = terms.totals();
    std::uint64_t stored = 0, postings = 0;
    Result<void> put;
    FROND_TRY(terms.for_each([&](std::string_view term, std::uint64_t df) {
      value.clear();
      ByteWriter(value).put_varint(df);
      put = out.put(term, value);
      ++stored;
      postings += df;
      return put.has_value();
    }));
    FROND_TRY(std::move(put));
    if (stored != totals.terms || postings != totals.postings)
      return Error(Code::kCorrupt, "term statistics: " + std::to_string(stored) + " terms with " +
                                       std::to_string(postings) + " postings; the totals say " +
                                       std::to_string(totals.terms) + " and " + std::to_string(totals.postings));
    value.clear();
    encode_totals(totals, value);
    FROND_TRY(out.put(totals_key(), value));
    FROND_TRY(out.finish());
    return totals;
  });
}

Result<std::shared_ptr<const GenerationTerms>> GenerationTerms::open(const std::filesystem::path& file) {
  return guarded(file.string(), [&]() -> Result<std::shared_ptr<const GenerationTerms>> {
    auto terms = std::make_shared<SstTerms>(file);
    FROND_TRY(terms->load());
    return std::shared_ptr<const GenerationTerms>(std::move(terms));
  });
}

}  // namespace frond::partition
