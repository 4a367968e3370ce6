#include "common/partition/terms/change_file.h"

#include <algorithm>
#include <queue>
#include <utility>

#include <rocksdb/iterator.h>
#include <rocksdb/sst_file_reader.h>

#include "common/partition/files/mapped_file_system.h"
#include "common/partition/files/rocks.h"
#include "common/partition/files/sst_table.h"
#include "common/partition/format/format.h"
#include "common/partition/terms/df_cache.h"

namespace frond::partition {
namespace {

// Terms have no NUL, so these keys lie before all terms.
constexpr std::string_view kHiddenPrefix{"\0hidden/", 8};

class SstChangeWriter final : public ChangeWriter {
 public:
  explicit SstChangeWriter(std::filesystem::path file) : file_(std::move(file)) {}

  Result<void> start(const HiddenByPartition& hidden) {
    return guarded(name(), [&]() -> Result<void> {
      FROND_TRY(file_.open());
      for (const auto& [partition, docids] : hidden) {
        value_.clear();
        encode_hidden(docids, value_);
        FROND_TRY(file_.put(std::string(kHiddenPrefix) + partition, value_));
      }
      return {};
    });
  }

  Result<void> add_term(std::string_view term, std::int64_t by) override {
    if (by == 0) return {};
    value_.clear();
    encode_change(by, value_);
    return guarded(name(), [&] { return file_.put(term, value_); });
  }

  Result<void> finish(const TermTotals& totals) override {
    value_.clear();
    encode_totals(totals, value_);
    return guarded(name(), [&]() -> Result<void> {
      FROND_TRY(file_.put(totals_key(), value_));
      return file_.finish();
    });
  }

 private:
  std::string name() const { return file_.path().string(); }
  SstFile file_;
  ByteBuffer value_;
};

// An open file, which cursors keep open.
class SstChanges final : public Changes, public std::enable_shared_from_this<SstChanges> {
 public:
  explicit SstChanges(std::filesystem::path file) : file_(std::move(file)), reader_(options_with(*env_)) {}

  Result<void> load() {
    std::error_code failed;
    if (!std::filesystem::exists(file_, failed)) return Error(Code::kNotFound, file_.string() + ": no such file");
    const auto status = reader_.Open(file_.string());
    if (!status.ok()) return error_of(status, file_.string());
    const auto iterator = make_iterator();
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      const std::string_view key = text_of(iterator->key());
      if (!key.starts_with(kHiddenPrefix)) break;
      auto docids = decode_hidden(bytes_of(iterator->value()));
      if (!docids) return std::move(docids).error().within(where(key.substr(kHiddenPrefix.size())));
      hidden_.emplace(key.substr(kHiddenPrefix.size()), *std::move(docids));
    }
    if (iterator->status().ok()) iterator->Seek(slice_of(totals_key()));
    if (!iterator->status().ok()) return error_of(iterator->status(), file_.string());
    if (!iterator->Valid() || text_of(iterator->key()) != totals_key())
      return Error(Code::kCorrupt, file_.string() + ": no totals: not a file of changes");
    auto totals = decode_totals(bytes_of(iterator->value()));
    if (!totals) return std::move(totals).error().within(file_.string());
    totals_ = *totals;
    return {};
  }

  Result<std::int64_t> by(std::string_view term) const override {
    // Generations share the files that they have in common, and so what is known of them.
    if (const auto kept = cache_.find(term)) return static_cast<std::int64_t>(*kept - kZero);
    auto by = guarded(file_.string(), [&] { return by_at(*make_iterator(), term); });
    if (by) cache_.put(term, kZero + static_cast<std::uint64_t>(*by));
    return by;
  }
  // 0: it is not there.
  Result<std::int64_t> by_at(rocksdb::Iterator& iterator, std::string_view term) const {
    iterator.Seek(slice_of(term));
    if (iterator.Valid() && text_of(iterator.key()) == term) return by_of(iterator);
    if (!iterator.status().ok()) return error_of(iterator.status(), where(term));
    return std::int64_t{0};
  }
  const HiddenByPartition& hidden() const override { return hidden_; }
  const TermTotals& totals() const override { return totals_; }
  std::unique_ptr<ChangeFileCursor> terms(std::string_view first) const override;
  Result<void> verify_checksums() const override {
    return guarded(file_.string(), [&]() -> Result<void> {
      const auto status = reader_.VerifyChecksum();
      if (!status.ok()) return error_of(status, file_.string());
      return {};
    });
  }
  Result<void> intact() const override { return files_->intact(); }
  Result<void> check_files() const override { return files_->check(); }

  std::unique_ptr<rocksdb::Iterator> make_iterator() const {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    return std::unique_ptr<rocksdb::Iterator>(reader_.NewIterator(options));
  }
  Result<std::int64_t> by_of(const rocksdb::Iterator& at) const {
    auto by = decode_change(bytes_of(at.value()));
    if (!by) return std::move(by).error().within(where(text_of(at.key())));
    return by;
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  static rocksdb::Options options_with(rocksdb::Env& env) {
    rocksdb::Options options = table_options();
    options.env = &env;
    return options;
  }
  std::string where(std::string_view key) const { return file_.string() + ": " + printable(key); }

  static constexpr std::uint64_t kZero = std::uint64_t{1} << 63;  // in the cache: a change of nothing
  mutable DfCache cache_;
  std::filesystem::path file_;
  std::shared_ptr<MappedFileSystem> files_ = std::make_shared<MappedFileSystem>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(files_);  // outlives what reads through it
  mutable rocksdb::SstFileReader reader_;  // its reads are thread-safe, though not marked const
  HiddenByPartition hidden_;
  TermTotals totals_;
};

class SstCursor final : public ChangeFileCursor {
 public:
  SstCursor(std::shared_ptr<const SstChanges> changes, std::string_view first)
      : changes_(std::move(changes)), iterator_(changes_->make_iterator()), first_(std::max(first, kFirstTerm)) {}
  Result<bool> next() override {
    return guarded(changes_->file().string(), [&]() -> Result<bool> {
      if (begun_)
        iterator_->Next();
      else
        iterator_->Seek(slice_of(first_));
      begun_ = true;
      if (!iterator_->status().ok()) return error_of(iterator_->status(), changes_->file().string());
      if (!iterator_->Valid() || term() == totals_key()) return false;
      by_ = FROND_TRY(changes_->by_of(*iterator_));
      return true;
    });
  }
  std::string_view term() const override { return text_of(iterator_->key()); }
  std::int64_t by() const override { return by_; }
  Result<std::int64_t> by_of(std::string_view wanted) override {
    begun_ = true;
    return guarded(changes_->file().string(), [&] { return changes_->by_at(*iterator_, wanted); });
  }

 private:
  static constexpr std::string_view kFirstTerm{"\1", 1};  // behind what is no term

  std::shared_ptr<const SstChanges> changes_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  const std::string first_;
  bool begun_ = false;
  std::int64_t by_ = 0;
};

std::unique_ptr<ChangeFileCursor> SstChanges::terms(std::string_view first) const {
  return std::make_unique<SstCursor>(shared_from_this(), first);
}

class MergedCursor final : public ChangeCursor {
 public:
  explicit MergedCursor(std::vector<std::unique_ptr<ChangeCursor>> cursors) : cursors_(std::move(cursors)) {}
  Result<bool> next() override {
    if (!std::exchange(begun_, true))
      for (const auto& cursor : cursors_)
        if (FROND_TRY(cursor->next())) front_.push(cursor.get());
    if (front_.empty()) return false;
    term_.assign(front_.top()->term());
    by_ = 0;
    while (!front_.empty() && front_.top()->term() == term_) {
      ChangeCursor* const cursor = front_.top();
      front_.pop();
      by_ += cursor->by();
      if (FROND_TRY(cursor->next())) front_.push(cursor);
    }
    return true;
  }
  std::string_view term() const override { return term_; }
  std::int64_t by() const override { return by_; }

 private:
  struct IsLater {
    bool operator()(const ChangeCursor* a, const ChangeCursor* b) const { return a->term() > b->term(); }
  };
  const std::vector<std::unique_ptr<ChangeCursor>> cursors_;
  std::priority_queue<ChangeCursor*, std::vector<ChangeCursor*>, IsLater> front_;  // at a term each
  bool begun_ = false;
  std::string term_;
  std::int64_t by_ = 0;
};

}  // namespace

Result<std::unique_ptr<ChangeWriter>> ChangeWriter::create(const std::filesystem::path& file,
                                                           const HiddenByPartition& hidden) {
  auto writer = std::make_unique<SstChangeWriter>(file);
  FROND_TRY(writer->start(hidden));
  return std::unique_ptr<ChangeWriter>(std::move(writer));
}

Result<ChangesPtr> Changes::open(const std::filesystem::path& file) {
  return guarded(file.string(), [&]() -> Result<ChangesPtr> {
    auto changes = std::make_shared<SstChanges>(file);
    FROND_TRY(changes->load());
    return ChangesPtr(std::move(changes));
  });
}

std::unique_ptr<ChangeCursor> merged_changes(std::vector<std::unique_ptr<ChangeCursor>> cursors) {
  return std::make_unique<MergedCursor>(std::move(cursors));
}

std::unique_ptr<ChangeCursor> merged_changes(std::span<const ChangesPtr> files, std::string_view first) {
  std::vector<std::unique_ptr<ChangeCursor>> cursors;
  for (const auto& one : files) cursors.push_back(one->terms(first));
  return merged_changes(std::move(cursors));
}

Result<std::vector<DocId>> hidden_documents_of(std::string_view id, std::uint64_t documents,
                                               std::span<const ChangesPtr> changes) {
  std::vector<DocId> docids;
  for (const auto& one : changes) {
    const auto found = one->hidden().find(id);
    if (found != one->hidden().end()) docids.insert(docids.end(), found->second.begin(), found->second.end());
  }
  std::sort(docids.begin(), docids.end());
  if (std::adjacent_find(docids.begin(), docids.end()) != docids.end())
    return Error(Code::kCorrupt, "partition " + std::string(id) + ": a document is hidden twice");
  if (!docids.empty() && docids.back() >= documents)
    return Error(Code::kCorrupt, "partition " + std::string(id) + ": hidden document " + std::to_string(docids.back()) +
                                     " of " + std::to_string(documents));
  return docids;
}

}  // namespace frond::partition
