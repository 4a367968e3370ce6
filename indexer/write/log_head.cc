#include "indexer/write/log_head.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include "common/base/text.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/partition/file_checksum.h"
#include "common/partition/files/rocks.h"
#include "indexer/write/log_keys.h"

namespace frond::indexer::write {
namespace {

constexpr std::string_view kHeadMagic = "frond-log-head 1 ";
constexpr std::size_t kIdDigits = 16, kNumberDigits = 20, kSumDigits = 32;
constexpr std::size_t kHeadLength = kHeadMagic.size() + kIdDigits + 3 * (1 + kNumberDigits) + 2 + 1 + kSumDigits + 1;

std::string sealed(std::string line) {
  const std::string checksum = partition::xxh3_hex(as_bytes(line));
  return std::move(line) + " " + checksum + "\n";
}

namespace fs = std::filesystem;
using partition::slice_of;
using partition::text_of;

struct Unlock {
  void operator()(rocksdb::FileLock* lock) const { rocksdb::Env::Default()->UnlockFile(lock).PermitUncheckedError(); }
};
// As long as it exists, nobody else opens the database; its holder may itself only read it.
Result<std::unique_ptr<rocksdb::FileLock, Unlock>> hold_database(const fs::path& folder) {
  rocksdb::FileLock* lock = nullptr;
  const auto status = rocksdb::Env::Default()->LockFile((folder / "LOCK").string(), &lock);
  if (status.ok()) return std::unique_ptr<rocksdb::FileLock, Unlock>(lock);
  if (is_held(status)) return Error(Code::kOverloaded, folder.string() + ": another service has it open");
  return Error(Code::kUnavailable, status.ToString());
}

void add_missing(LogLoss& loss, Sequence from, Sequence to) {
  if (from > to) return;
  loss.changes += to - from + 1;
  if (loss.ranges.size() < LogLoss::kMaxRanges) loss.ranges.emplace_back(from, to);
}

// Of an open log: what lies between `floor` and the head's last.
Result<void> find_in(rocksdb::DB& db, const LogHead& head, Sequence floor, LogLoss& loss) {
  const auto get = [&](std::string_view key) -> Result<std::optional<std::string>> {
    std::string value;
    const auto status = db.Get({}, slice_of(key), &value);
    if (status.IsNotFound()) return std::optional<std::string>();
    if (!status.ok()) return Error(Code::kCorrupt, status.ToString());
    return std::optional<std::string>(std::move(value));
  };
  const auto id = FROND_TRY(get(kIdentity));
  const bool other = id && *id != head.log;  // then its numbers are not this log's
  const auto forgotten = FROND_TRY(get(kForgotten));
  Sequence last = forgotten && !other ? number_of(*forgotten).value_or(0) : 0;
  floor = std::max(floor, last);
  if (!other) {
    const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator({}));
    at->SeekForPrev(slice_of(numbered(kOperation, ~std::uint64_t{0})));
    if (at->Valid() && at->key()[0] == kOperation) last = std::max(last, number_of(text_of(at->key())).value_or(0));
    for (at->Seek(slice_of(numbered(kOperation, floor + 1))); at->Valid() && at->key()[0] == kOperation; at->Next()) {
      const auto number = number_of(text_of(at->key()));
      if (!number) return Error(Code::kCorrupt, "an operation that can't be read");
      add_missing(loss, floor + 1, std::min(*number - 1, head.last));
      floor = *number;
    }
    if (!at->status().ok()) return Error(Code::kCorrupt, at->status().ToString());
  }
  add_missing(loss, floor + 1, head.last);
  loss.settings = head.settings && (other || !FROND_TRY(get(kSettings)));
  loss.shorter = !id || other || last < head.last;
  return {};
}

}  // namespace

std::string to_text(const LogHead& head) {
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, " %020llu %020llu %020llu %d", static_cast<unsigned long long>(head.last),
                static_cast<unsigned long long>(head.published), static_cast<unsigned long long>(head.passed),
                head.settings ? 1 : 0);
  return sealed(std::string(kHeadMagic) + head.log + numbers);
}

Result<LogHead> log_head_from_text(std::string_view text) {
  const Error wrong(Code::kCorrupt, "is no head of a log, or it is damaged");
  if (text.size() != kHeadLength || !text.starts_with(kHeadMagic)) return wrong;
  if (sealed(std::string(text.substr(0, kHeadLength - kSumDigits - 2))) != text) return wrong;
  LogHead head;
  head.log = text.substr(kHeadMagic.size(), kIdDigits);
  if (head.log.find_first_not_of("0123456789abcdef") != head.log.npos) return wrong;
  std::size_t at = kHeadMagic.size() + kIdDigits + 1;
  for (Sequence* number : {&head.last, &head.published, &head.passed}) {
    for (const char digit : text.substr(at, kNumberDigits)) {
      if (digit < '0' || digit > '9') return wrong;
      *number = 10 * *number + static_cast<Sequence>(digit - '0');
    }
    if (*number > kMaxSequence) return wrong;
    at += kNumberDigits + 1;
  }
  head.settings = text[at] == '1';
  if (to_text(head) != text) return wrong;
  return head;
}

std::filesystem::path log_head_path(const std::filesystem::path& log_folder) {
  return log_folder.parent_path() / kLogHeadFile;
}

Result<std::optional<LogHead>> read_log_head(const std::filesystem::path& path) {
  const auto text = files::read_text(path, kHeadLength);
  if (!text && text.error().code() == Code::kNotFound) return std::optional<LogHead>();
  if (!text) return text.error();
  auto head = log_head_from_text(*text);
  if (!head) return std::move(head).error().within(path.string());
  return std::optional<LogHead>(*std::move(head));
}

Result<std::unique_ptr<LogHeadFile>> LogHeadFile::create(const std::filesystem::path& path, const LogHead& head) {
  FROND_TRY(files::replace_file(path, to_text(head)));
  files::Descriptor file = FROND_TRY(files::open(path, O_WRONLY));
  return std::unique_ptr<LogHeadFile>(new LogHeadFile(path, head, std::move(file)));
}

// In place: a sector is written whole or not at all.
Result<void> LogHeadFile::write(const LogHead& head, bool synced) {
  if (head == head_) return {};
  FROND_TRY(files::write_at(file_, 0, as_bytes(to_text(head)), path_));
  head_ = head;
  return synced ? files::sync(file_, path_) : Result<void>();
}

Result<void> LogHeadFile::acknowledge(Sequence last) {
  const MutexLock lock(mutex_);
  LogHead head = head_;
  head.last = std::max(head.last, last);
  return write(head, /*synced=*/false);
}

Result<void> LogHeadFile::forget(Sequence published) {
  const MutexLock lock(mutex_);
  LogHead head = head_;
  head.published = std::max(head.published, published);
  head.last = std::max(head.last, published);
  return write(head, /*synced=*/true);
}

Result<void> LogHeadFile::has_settings() {
  const MutexLock lock(mutex_);
  LogHead head = head_;
  head.settings = true;
  return write(head, /*synced=*/true);
}

std::string LogLoss::text() const {
  std::string text;
  if (!unreadable.empty()) text = "the log can't be read (" + unreadable + ")";
  if (changes > 0) {
    text += text.empty() ? "" : "; ";
    text += std::to_string(changes) + (changes == 1 ? " acknowledged change is" : " acknowledged changes are") +
            (unreadable.empty() ? " missing" : " in it") + ":";
    for (const auto& [from, to] : ranges)
      text += (&from == &ranges.front().first ? " " : ", ") + std::to_string(from) +
              (from == to ? "" : " to " + std::to_string(to));
    if (ranges.size() == kMaxRanges) text += " and more";
  }
  if (settings) text += std::string(text.empty() ? "" : "; ") + "the collection's settings are missing";
  return text;
}

fs::path overtaken_file(const fs::path& folder, std::uint64_t epoch) {
  return folder / ("overtaken-" + utc_text(kCompactUtcSeconds) + "-" + std::to_string(epoch) + ".jsonl");
}

Result<void> expect_files(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (std::error_code unknown; !at->is_regular_file(unknown) && !at->is_directory(unknown))
      return Error(Code::kCorrupt, at->path().string() + " is no file");
  return {};
}

Result<LogLoss> find_loss(const fs::path& folder, const LogHead& head, const PublishedChanges& published) {
  LogLoss loss;
  Sequence floor = std::max(head.published, head.passed);
  if (published.log_id.empty() || published.log_id == head.log) floor = std::max(floor, published.sequence);
  const auto looked = guarded(folder.string(), [&]() -> Result<void> {
    std::error_code unknown;
    if (!fs::exists(folder / "CURRENT", unknown)) {  // RocksDB would make a new database
      add_missing(loss, floor + 1, head.last);
      loss.settings = head.settings;
      loss.shorter = true;
      return {};
    }
    FROND_TRY(expect_files(folder));
    const auto held = FROND_TRY(hold_database(folder));
    rocksdb::DB* db = nullptr;
    const auto status = rocksdb::DB::OpenForReadOnly(log_options(), folder.string(), &db);
    const std::unique_ptr<rocksdb::DB> owned(db);
    if (!status.ok()) return Error(Code::kCorrupt, status.ToString());
    return find_in(*db, head, floor, loss);
  });
  if (!looked && looked.error().code() != Code::kCorrupt) return looked.error();
  if (!looked) {
    loss = {};
    loss.unreadable = looked.error().message();
    add_missing(loss, floor + 1, head.last);
  }
  if (published.log_id.empty() && published.sequence == 0) return loss;
  loss.settings = false;  // the generation has them
  return loss;
}

Result<LogLoss> accept_loss(const fs::path& folder, const PublishedChanges& published) {
  const fs::path path = log_head_path(folder);
  const std::string aside = overtaken_file(folder.parent_path(), 0).string();
  auto read = read_log_head(path);
  if (!read && read.error().code() == Code::kCorrupt) {
    FROND_TRY(files::rename(path, aside + "-log-head"));
    FROND_TRY(files::sync_parent(path));
    LogLoss loss;
    loss.unreadable = read.error().message() + ", so nobody knows what is missing";
    return loss;
  }
  auto head = FROND_TRY(std::move(read));
  if (!head) return Error(Code::kNotFound, path.string() + " is not there: nothing is known to be missing");
  LogLoss loss = FROND_TRY(find_loss(folder, *head, published));
  if (!loss.any()) return loss;
  if (!loss.unreadable.empty()) {
    FROND_TRY(files::rename(folder, aside + "-log"));
    FROND_TRY(files::sync_parent(folder));
  }
  head->passed = head->last;
  head->settings = head->settings && !loss.settings && loss.unreadable.empty();
  FROND_TRY(files::replace_file(path, to_text(*head)));
  return loss;
}

}  // namespace frond::indexer::write
