#include "indexer/write/operation_log.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <unordered_set>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>
#include <nlohmann/json.hpp>

#include "common/files/write.h"
#include "common/partition/files/rocks.h"
#include "indexer/write/log_keys.h"

namespace frond::indexer::write {
namespace {

using partition::slice_of;
using partition::text_of;

constexpr char kPut = 'P', kRemoval = 'D';                        // the first byte of an operation's value
constexpr std::uint64_t kSetAsideBytes = std::uint64_t{4} << 20;  // that are in memory at a time
constexpr std::uint64_t kKeptBatch = std::uint64_t{2} << 20;      // bytes that a thread keeps from write to write

// Its value: the kind, the id's length in decimal digits, a space, the id, the line.
rocksdb::Status add_operation(rocksdb::WriteBatch& batch, Sequence number, const Operation& operation) {
  const std::string key = numbered(kOperation, number);
  const std::string head = (operation.removes() ? kRemoval : kPut) + std::to_string(operation.id.size()) + " ";
  const rocksdb::Slice name(key), parts[] = {head, operation.id, operation.line};
  return batch.Put({&name, 1}, {parts, std::size(parts)});
}
std::optional<Operation> operation_of(std::string_view value) {
  const std::size_t space = value.find(' ');
  if (space == value.npos || space < 2 || space > 8 || (value[0] != kPut && value[0] != kRemoval)) return std::nullopt;
  std::size_t length = 0;
  for (const char digit : value.substr(1, space - 1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    length = 10 * length + static_cast<std::size_t>(digit - '0');
  }
  const std::string_view rest = value.substr(space + 1);
  if (length > rest.size() || (rest.size() > length) != (value[0] == kPut)) return std::nullopt;
  return Operation{std::string(rest.substr(0, length)), std::string(rest.substr(length))};
}

// What failed may be in the log all the same.
template <class T>
Result<T> perhaps(Result<T> done) {
  if (!done) return std::move(done).error().within(kMayBeAccepted);
  return done;
}

}  // namespace

Folded folded(std::span<const Operation> operations) {
  Folded folded;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = operations.size(); i-- > 0;) {
    const Operation& operation = operations[i];
    if (!seen.insert(operation.id).second) continue;
    if (operation.removes())
      folded.removed_ids.push_back(operation.id);
    else
      folded.documents.push_back(&operation);
  }
  std::ranges::reverse(folded.documents);
  std::ranges::reverse(folded.removed_ids);
  return folded;
}

OperationLog::OperationLog(std::filesystem::path folder, Db db) : folder_(std::move(folder)), db_(std::move(db)) {}
OperationLog::~OperationLog() = default;

Error OperationLog::error(const std::string& what) const {
  return Error(Code::kCorrupt, folder_.string() + ": " + what);
}

Result<std::optional<std::string>> OperationLog::get(std::string_view key) const {
  std::string value;
  const auto status = FROND_TRY(db())->Get({}, slice_of(key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  FROND_TRY(checked(status, folder_));
  return std::optional<std::string>(std::move(value));
}

Result<void> OperationLog::write_synced(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions synced;
  synced.sync = true;
  const Db db = FROND_TRY(this->db());
  return written(db, db->Write(synced, &batch));
}

Result<void> OperationLog::put(std::string_view key, std::string_view value) {
  rocksdb::WriteBatch batch;
  batch.Put(slice_of(key), slice_of(value));
  return write_synced(batch);
}

Result<std::unique_ptr<OperationLog>> OperationLog::open(const std::filesystem::path& folder,
                                                         const PublishedChanges& published) {
  return guarded(folder.string(), [&]() -> Result<std::unique_ptr<OperationLog>> {
    FROND_TRY(expect_files(folder));
    if (published.sequence > kMaxSequence)
      return Error(Code::kCorrupt, folder.string() + ": the current generation has change " +
                                       std::to_string(published.sequence) + ", to which no log comes");
    const auto head = FROND_TRY(read_log_head(log_head_path(folder)));
    LogLoss loss;
    if (head) loss = FROND_TRY(find_loss(folder, *head, published));
    if (loss.any()) return Error(Code::kCorrupt, folder.string() + ": " + loss.text());
    rocksdb::DB* db = nullptr;
    const auto status = rocksdb::DB::Open(log_options(), folder.string(), &db);
    Db owned(db);
    if (is_held(status)) return Error(Code::kOverloaded, folder.string() + ": another service has it open");
    FROND_TRY(checked(status, folder));
    FROND_TRY(files::sync_parent(folder));  // it may be new: RocksDB syncs what is in it
    std::unique_ptr<OperationLog> log(new OperationLog(folder, std::move(owned)));
    log->was_shortened_ = loss.shorter;
    FROND_TRY(log->identify(head ? head->log : std::string()));
    FROND_TRY(log->recover(published, head.value_or(LogHead{})));
    return log;
  });
}

Result<void> OperationLog::identify(const std::string& known) {
  if (auto there = FROND_TRY(get(kIdentity))) {
    id_ = *std::move(there);
    return {};
  }
  std::random_device random;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%08x%08x", random(), random());
  id_ = known.empty() ? hex : known;  // its numbers go on
  return put(kIdentity, id_);
}

Result<void> OperationLog::recover(const PublishedChanges& of_generation, const LogHead& known) {
  const bool of_this_log = of_generation.log_id.empty() || of_generation.log_id == id_;
  LogHead head{id_};
  if (known.log == id_) head = known;
  const Sequence published = std::max(of_this_log ? of_generation.sequence : 0, head.published);
  const auto forgotten_text = FROND_TRY(get(kForgotten));
  const auto forgotten_number = forgotten_text ? number_of(*forgotten_text) : 0;
  if (!forgotten_number) return error("which changes it has forgotten can't be read");
  const Sequence forgotten = *forgotten_number;
  Sequence last = std::max({of_generation.sequence, forgotten, known.last});
  const Db db = FROND_TRY(this->db());
  FROND_TRY(checked(db->DeleteRange({}, db->DefaultColumnFamily(), slice_of(numbered(kOperation, 0)),
                                    slice_of(numbered(kOperation, published + 1))),
                    folder_));
  Sequence next = std::max(published, forgotten) + 1, first = 0;  // without gaps
  const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator({}));
  for (at->Seek(slice_of(numbered(kOperation, 0))); at->Valid() && at->key()[0] == kOperation; at->Next()) {
    const auto number = number_of(text_of(at->key()));
    const auto operation = operation_of(text_of(at->value()));
    if (!number || !operation) return error("an operation that can't be read");
    last = std::max(last, *number);
    if (*number > next) head.passed = std::max(head.passed, *number - 1);
    next = std::max(next, *number + 1);
    if (first == 0) first = *number;
    ++waiting_;
    bytes_ += operation->bytes();
  }
  FROND_TRY(checked(at->status(), folder_));
  if (next <= last) head.passed = std::max(head.passed, last);
  last_ = last;
  synced_ = last;
  published_ = first > 0 ? first - 1 : last;
  head.last = std::max(head.last, last);
  head.published = std::max(head.published, forgotten);
  head.settings = !FROND_TRY(settings()).empty();
  head_ = FROND_TRY(LogHeadFile::create(log_head_path(folder_), head));
  at->SeekForPrev(slice_of(numbered(kRing, ~std::uint64_t{0})));
  MutexLock lock(appending_);
  if (at->Valid() && at->key()[0] == kRing) keys_ = number_of(text_of(at->key())).value_or(0) + 1;
  return checked(at->status(), folder_);
}

Result<std::optional<std::uint64_t>> OperationLog::known(const RequestMark& mark) const {
  return guarded(folder_.string(), [&]() -> Result<std::optional<std::uint64_t>> {
    const auto value = FROND_TRY(get(kKey + mark.key));
    if (!value) return std::optional<std::uint64_t>();
    const auto number = number_of(value->substr(0, 9));
    if (!number) return error("an idempotency key that can't be read");
    if (value->substr(9) == mark.body) return number;
    return Error(Code::kInvalid, "this Idempotency-Key came with another request before, or with another body");
  });
}

Result<void> OperationLog::remember(const RequestMark& mark, std::uint64_t number) {
  return guarded(folder_.string(), [&]() -> Result<void> {
    const MutexLock lock(appending_);
    rocksdb::WriteBatch batch;
    FROND_TRY(add_mark(batch, mark, number));
    FROND_TRY(write_synced(batch));
    ++keys_;
    return {};
  });
}

// The oldest key goes, where there are as many as may be.
Result<void> OperationLog::add_mark(rocksdb::WriteBatch& batch, const RequestMark& mark, std::uint64_t number) const {
  const std::string key = kKey + mark.key;
  batch.Put(slice_of(key), slice_of(numbered(kKey, number) + mark.body));
  batch.Put(slice_of(numbered(kRing, keys_)), slice_of(key));
  if (keys_ < kKeptKeys) return {};
  const std::string oldest = numbered(kRing, keys_ - kKeptKeys);
  if (const auto old_key = FROND_TRY(get(oldest))) batch.Delete(slice_of(*old_key));
  batch.Delete(slice_of(oldest));
  return {};
}

Result<Appended> OperationLog::append(std::span<const Operation> operations, const std::optional<RequestMark>& mark,
                                      std::uint64_t max_bytes) {
  const Appended appended = FROND_TRY(write(operations, mark, max_bytes));
  FROND_TRY(sync(appended));
  return appended;
}

Result<Appended> OperationLog::write(std::span<const Operation> operations, const std::optional<RequestMark>& mark,
                                     std::uint64_t max_bytes) {
  return guarded(folder_.string(), [&]() -> Result<Appended> {
    std::uint64_t bytes = 0;
    for (const Operation& operation : operations) bytes += operation.bytes();
    Appended appended;
    {
      MutexLock lock(appending_);
      // A usual request has its thread's, whose pages are there already. None grows, which would take twice as much.
      thread_local rocksdb::WriteBatch kept(kKeptBatch);
      std::optional<rocksdb::WriteBatch> large;
      rocksdb::WriteBatch& batch = bytes > kKeptBatch ? large.emplace(bytes) : kept;
      batch.Clear();
      appended.last = last_ + operations.size();
      if (mark) {
        const auto before = FROND_TRY(known(*mark));
        if (before)
          appended = {*before, true};
        else
          FROND_TRY(add_mark(batch, *mark, appended.last));
      }
      if (!appended.repeated) {
        if (operations.empty()) return Appended{last_, false};
        if (bytes_ + bytes > max_bytes && waiting_ > 0)
          return Error(Code::kOverloaded, "too much waits to be published");
        Sequence next = last_;
        for (const Operation& operation : operations)
          FROND_TRY(checked(add_operation(batch, ++next, operation), folder_));
        // Written in the order of their numbers, so that whoever reads one has all before it.
        const Db db = FROND_TRY(this->db());
        FROND_TRY(perhaps(written(db, db->Write({}, &batch))));
        if (mark) ++keys_;
        last_ = next;
        waiting_ += operations.size();
        bytes_ += bytes;
      }
    }
    return appended;
  });
}

Result<void> OperationLog::sync(const Appended& appended) {
  return guarded(folder_.string(), [&]() -> Result<void> {
    const Db db = FROND_TRY(perhaps(this->db()));
    FROND_TRY(perhaps(written(db, db->SyncWAL())));
    for (Sequence before = synced_; before < appended.last && !synced_.compare_exchange_weak(before, appended.last);) {
    }
    return perhaps(head_->acknowledge(appended.last));
  });
}

Result<OperationLog::Taken> OperationLog::read(Sequence after, std::uint64_t max_bytes, std::size_t most) const {
  return guarded(folder_.string(), [&]() -> Result<Taken> {
    Taken taken;
    taken.last = after;
    const Sequence all = last_;
    bool more = false;
    const Db db = FROND_TRY(this->db());
    const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator({}));
    for (at->Seek(slice_of(numbered(kOperation, after + 1))); at->Valid() && at->key()[0] == kOperation; at->Next()) {
      auto operation = operation_of(text_of(at->value()));
      const auto number = number_of(text_of(at->key()));
      if (!operation || !number) return error("an operation that can't be read");
      more = taken.operations.size() == most ||
             (!taken.operations.empty() && taken.bytes + operation->bytes() > max_bytes);
      if (more) break;
      taken.bytes += operation->bytes();
      taken.last = *number;
      taken.numbers.push_back(*number);
      taken.operations.push_back(*std::move(operation));
    }
    FROND_TRY(checked(at->status(), folder_));
    if (!more) taken.last = std::max(taken.last, all);  // the last numbers may be passed over
    return taken;
  });
}

Result<void> OperationLog::forget(const Taken& taken) {
  return guarded(folder_.string(), [&]() -> Result<void> {
    waiting_ -= taken.operations.size();
    bytes_ -= taken.bytes;
    rocksdb::WriteBatch batch;
    batch.DeleteRange(slice_of(numbered(kOperation, 0)), slice_of(numbered(kOperation, taken.last + 1)));
    batch.Put(slice_of(kForgotten), slice_of(numbered(kOperation, taken.last)));
    const Db db = FROND_TRY(this->db());
    FROND_TRY(written(db, db->Write({}, &batch)));
    return head_->forget(taken.last);
  });
}

Result<void> OperationLog::write_lines(const files::Descriptor& out, const std::filesystem::path& file) const {
  for (Taken some = FROND_TRY(read(0, kSetAsideBytes)); !some.operations.empty();
       some = FROND_TRY(read(some.last, kSetAsideBytes))) {
    std::string lines;
    for (const Operation& operation : some.operations)
      lines += (operation.removes() ? nlohmann::json({{"removed", operation.id}})
                                          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                                    : operation.line) +
               "\n";
    FROND_TRY(files::write_all(out, as_bytes(lines), file));
  }
  FROND_TRY(files::sync(out, file));
  return files::sync_parent(file);
}

Result<void> OperationLog::set_aside(const std::filesystem::path& file) {
  return guarded(folder_.string(), [&]() -> Result<void> {
    if (operations() == 0) return {};
    const auto out = FROND_TRY(files::open(file, O_WRONLY | O_CREAT | O_EXCL, 0600));
    if (auto wrote = write_lines(out, file); !wrote) {
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
      return wrote;
    }
    for (Taken some = FROND_TRY(read(0, kSetAsideBytes)); !some.operations.empty();
         some = FROND_TRY(read(0, kSetAsideBytes)))
      FROND_TRY(forget(some));
    const Db db = FROND_TRY(this->db());
    return written(db, db->SyncWAL());
  });
}

Result<std::uint64_t> OperationLog::epoch() const {
  return guarded(folder_.string(),
                 [&]() -> Result<std::uint64_t> { return number_of(FROND_TRY(get(kEpoch)).value_or("")).value_or(0); });
}

Result<void> OperationLog::set_epoch(std::uint64_t epoch) {
  return guarded(folder_.string(), [&] { return put(kEpoch, numbered(kEpoch[0], epoch)); });
}

Result<void> OperationLog::forget_keys() {
  return guarded(folder_.string(), [&]() -> Result<void> {
    rocksdb::WriteBatch batch;
    for (const char kind : {kKey, kRing})
      batch.DeleteRange(slice_of(std::string(1, kind)), slice_of(std::string(1, static_cast<char>(kind + 1))));
    return write_synced(batch);
  });
}

Result<std::string> OperationLog::settings() const {
  return guarded(folder_.string(), [&]() -> Result<std::string> { return FROND_TRY(get(kSettings)).value_or(""); });
}

Result<void> OperationLog::set_settings(std::string_view json) {
  return guarded(folder_.string(), [&]() -> Result<void> {
    FROND_TRY(put(kSettings, json));
    return head_->has_settings();
  });
}

}  // namespace frond::indexer::write
