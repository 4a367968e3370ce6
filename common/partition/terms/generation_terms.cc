// Reads the file of term statistics: one SST file, or several in one file (term_sections.h).
#include <fcntl.h>

#include <algorithm>
#include <utility>

#include <rocksdb/iterator.h>
#include <rocksdb/sst_file_reader.h>

#include "common/files/descriptor.h"
#include "common/files/read.h"
#include "common/partition/files/mapped_file_system.h"
#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"
#include "common/partition/terms/change_file.h"
#include "common/partition/terms/df_cache.h"
#include "common/partition/terms/term_sections.h"
#include "common/partition/terms/term_statistics.h"
#include "common/text/limits.h"

namespace frond::partition {
namespace {

std::unique_ptr<rocksdb::Iterator> iterator_of(rocksdb::SstFileReader& reader) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  return std::unique_ptr<rocksdb::Iterator>(reader.NewIterator(options));
}

// The sections of a file; none: it is one SST file. kNotFound; kCorrupt; kUnavailable.
Result<std::vector<TermSection>> read_sections(const std::filesystem::path& path) {
  const files::Descriptor file = FROND_TRY(files::open(path, O_RDONLY));
  const std::uint64_t size = FROND_TRY(files::size_of(file, path));
  std::vector<std::byte> end(std::min<std::uint64_t>(size, kSectionsEndBytes));
  end.resize(FROND_TRY(files::read_at(file, size - end.size(), end, path)));
  const std::uint64_t bytes = FROND_TRY(sections_bytes(end, size));
  if (bytes == 0) return std::vector<TermSection>();
  end.resize(bytes);
  end.resize(FROND_TRY(files::read_at(file, size - bytes, end, path)));
  return decode_sections(end, size);
}

class SstTerms final : public GenerationTerms {
 public:
  explicit SstTerms(std::filesystem::path file) : file_(std::move(file)) {}

  Result<void> load() {
    auto sections = read_sections(file_);
    if (!sections) return named(std::move(sections).error());
    rocksdb::Options options = table_options();
    options.env = env_.get();
    const auto open = [&](std::string first_term, const std::string& name) -> Result<void> {
      Section& section = *sections_.emplace_back(std::make_unique<Section>(std::move(first_term), options));
      const auto status = section.reader.Open(name);
      if (!status.ok()) return error_of(status, file_.string());
      return {};
    };
    if (sections->empty()) FROND_TRY(open({}, file_.string()));
    for (TermSection& section : *sections)
      FROND_TRY(
          open(std::move(section.first_term), MappedFileSystem::name_of_part(file_, section.offset, section.bytes)));
    return load_totals();
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

  Result<void> for_each_from(std::string_view first, const Visit& visit) const override {
    return guarded(file_.string(), [&]() -> Result<void> {
      for (auto at = place_of(first); at != sections_.end(); ++at) {
        const Section* const section = at->get();
        const auto iterator = iterator_of(section->reader);
        for (iterator->Seek(slice_of(first)); iterator->Valid(); iterator->Next()) {
          if (text_of(iterator->key()) == totals_key()) break;
          if (!visit(text_of(iterator->key()), FROND_TRY(df_of(*iterator)))) return {};
        }
        if (!iterator->status().ok()) return error_of(iterator->status(), file_.string());
      }
      return {};
    });
  }

  Result<void> verify_checksums() const override {
    return guarded(file_.string(), [&]() -> Result<void> {
      for (const auto& section : sections_)
        if (const auto status = section->reader.VerifyChecksum(); !status.ok()) return error_of(status, file_.string());
      return {};
    });
  }

 private:
  struct Section {
    Section(std::string first, const rocksdb::Options& options) : first_term(std::move(first)), reader(options) {}
    const std::string first_term;
    mutable rocksdb::SstFileReader reader;  // its reads are thread-safe, though not marked const
  };
  class Reader final : public DfReader {
   public:
    explicit Reader(const SstTerms& terms) : terms_(terms) {}
    Result<std::uint64_t> df(std::string_view term) override {
      return guarded(terms_.file_.string(), [&] {
        const Section& section = terms_.section_of(term);
        if (section_ != &section) {
          iterator_ = iterator_of(section.reader);
          section_ = &section;
        }
        return terms_.df_at(*iterator_, term);
      });
    }

   private:
    const SstTerms& terms_;
    const Section* section_ = nullptr;  // of the iterator
    std::unique_ptr<rocksdb::Iterator> iterator_;
  };

  // The last one that begins with this term or one before it; the first, if there is none.
  std::vector<std::unique_ptr<Section>>::const_iterator place_of(std::string_view term) const {
    return std::upper_bound(sections_.begin() + 1, sections_.end(), term,
                            [](std::string_view t, const auto& one) { return t < one->first_term; }) -
           1;
  }
  const Section& section_of(std::string_view term) const { return **place_of(term); }
  Result<void> load_totals() {
    const auto iterator = iterator_of(sections_.back()->reader);
    iterator->Seek(slice_of(totals_key()));
    if (!iterator->status().ok()) return error_of(iterator->status(), file_.string());
    if (!iterator->Valid() || text_of(iterator->key()) != totals_key())
      return Error(Code::kCorrupt, file_.string() + ": no totals: not a file of term statistics");
    auto totals = decode_totals(bytes_of(iterator->value()));
    if (!totals) return named(std::move(totals).error());
    totals_ = *totals;
    return {};
  }
  Error named(Error error) const {
    return error.message().find(file_.string()) == std::string::npos ? std::move(error).within(file_.string()) : error;
  }
  Result<std::uint64_t> stored_df(std::string_view term) const {
    return guarded(file_.string(), [&]() -> Result<std::uint64_t> {
      const std::uint64_t df = FROND_TRY(df_at(*iterator_of(section_of(term).reader), term));
      if (df == 0) return Error(Code::kNotFound, where(term));
      return df;
    });
  }
  // 0: it is not there.
  Result<std::uint64_t> df_at(rocksdb::Iterator& iterator, std::string_view term) const {
    if (term.size() > text::kMaxTermBytes) return std::uint64_t{0};
    // In ascending order it is often the next entry, which is found sooner.
    const bool is_before = iterator.Valid() && text_of(iterator.key()) < term;
    if (is_before) iterator.Next();
    if (!is_before || !iterator.Valid() || text_of(iterator.key()) < term) iterator.Seek(slice_of(term));
    if (iterator.Valid() && text_of(iterator.key()) == term) return df_of(iterator);
    if (!iterator.status().ok()) return error_of(iterator.status(), where(term));
    return std::uint64_t{0};
  }
  std::string where(std::string_view term) const { return file_.string() + ": term " + printable(term); }

  Result<std::uint64_t> df_of(const rocksdb::Iterator& at) const {
    ByteReader reader(bytes_of(at.value()));
    const std::uint64_t df = reader.get_varint();
    if (!reader.ok() || !reader.at_end() || df == 0)
      return Error(Code::kCorrupt, where(text_of(at.key())) + ": not a document frequency");
    return df;
  }

  const std::filesystem::path file_;
  const std::shared_ptr<MappedFileSystem> files_ = std::make_shared<MappedFileSystem>();
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);  // outlives what reads through it
  std::vector<std::unique_ptr<Section>> sections_;                              // at least one
  TermTotals totals_;
  mutable DfCache cache_;
};

}  // namespace

Result<std::shared_ptr<const GenerationTerms>> GenerationTerms::open(const std::filesystem::path& file) {
  return guarded(file.string(), [&]() -> Result<std::shared_ptr<const GenerationTerms>> {
    auto terms = std::make_shared<SstTerms>(file);
    FROND_TRY(terms->load());
    return std::shared_ptr<const GenerationTerms>(std::move(terms));
  });
}

// Document frequencies of a generation that was changed: those of its base and what its change files add.

namespace {

class ChangedTerms final : public GenerationTerms {
 public:
  ChangedTerms(std::shared_ptr<const GenerationTerms> base, std::vector<ChangesPtr> changes)
      : base_(std::move(base)), changes_(std::move(changes)) {}

  Result<std::uint64_t> df(std::string_view term) const override {
    const auto stored = base_->df(term);
    if (!stored && stored.error().code() != Code::kNotFound) return stored.error();
    std::int64_t df = stored ? static_cast<std::int64_t>(*stored) : 0;
    for (const auto& one : changes_) df += FROND_TRY(one->by(term));
    if (df < 0) return negative(term, df);
    if (df == 0) return Error(Code::kNotFound, "term " + printable(term));
    return static_cast<std::uint64_t>(df);
  }

  std::unique_ptr<DfReader> reader() const override { return std::make_unique<Reader>(*base_, changes_); }
  const TermTotals& totals() const override { return changes_.back()->totals(); }

  Result<void> for_each_from(std::string_view first, const Visit& visit) const override {
    const auto changed = merged_changes(changes_, first);
    bool left = FROND_TRY(changed->next());  // whether it is at a term
    bool more = true;
    Result<void> outcome;
    const auto give = [&](std::string_view term, std::int64_t df) {
      if (df < 0) outcome = negative(term, df);
      if (df > 0) more = visit(term, static_cast<std::uint64_t>(df));
      return more && outcome;
    };
    const auto go_on = [&] {
      auto next = changed->next();
      left = next && *next;
      if (!next) outcome = std::move(next).error();
      return outcome.has_value();
    };
    const auto give_before = [&](const std::string_view* term) {
      while (left && (term == nullptr || changed->term() < *term))
        if (!give(changed->term(), changed->by()) || !go_on()) return false;
      return true;
    };
    FROND_TRY(base_->for_each_from(first, [&](std::string_view term, std::uint64_t df) {
      if (!give_before(&term)) return false;
      auto sum = static_cast<std::int64_t>(df);
      if (left && changed->term() == term) {
        sum += changed->by();
        if (!go_on()) return false;
      }
      return give(term, sum);
    }));
    if (more && outcome) give_before(nullptr);
    return outcome;
  }

  Result<void> verify_checksums() const override {
    FROND_TRY(base_->verify_checksums());
    for (const auto& one : changes_) FROND_TRY(one->verify_checksums());
    return {};
  }
  Result<void> intact() const override {
    FROND_TRY(base_->intact());
    for (const auto& one : changes_) FROND_TRY(one->intact());
    return {};
  }
  Result<void> check_files() const override {
    Result<void> outcome = base_->check_files();
    for (const auto& one : changes_)
      if (auto checked = one->check_files(); outcome && !checked) outcome = std::move(checked);
    return outcome;
  }

 private:
  class Reader final : public DfReader {
   public:
    Reader(const GenerationTerms& base, std::span<const ChangesPtr> changes) : base_(base.reader()) {
      for (const ChangesPtr& one : changes) changes_.push_back(one->terms());
    }
    Result<std::uint64_t> df(std::string_view term) override {
      auto df = static_cast<std::int64_t>(FROND_TRY(base_->df(term)));
      for (const auto& one : changes_) df += FROND_TRY(one->by_of(term));
      if (df < 0) return negative(term, df);
      return static_cast<std::uint64_t>(df);
    }

   private:
    std::unique_ptr<DfReader> base_;
    std::vector<std::unique_ptr<ChangeFileCursor>> changes_;
  };
  static Error negative(std::string_view term, std::int64_t df) {
    return Error(Code::kCorrupt,
                 "term " + printable(term) + ": document frequency " + std::to_string(df) + " after all changes");
  }
  std::shared_ptr<const GenerationTerms> base_;
  std::vector<ChangesPtr> changes_;
};

}  // namespace

std::shared_ptr<const GenerationTerms> changed_terms(std::shared_ptr<const GenerationTerms> base,
                                                     std::vector<ChangesPtr> changes) {
  return std::make_shared<ChangedTerms>(std::move(base), std::move(changes));
}

}  // namespace frond::partition
