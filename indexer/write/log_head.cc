#include "indexer/write/log_head.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "common/files/read.h"
#include "common/files/write.h"
#include "common/partition/file_checksum.h"

namespace frond::indexer::write {
namespace {

constexpr std::string_view kHeadMagic = "frond-log-head 1 ";
constexpr std::size_t kIdDigits = 16, kNumberDigits = 20, kSumDigits = 32;
constexpr std::size_t kHeadLength = kHeadMagic.size() + kIdDigits + 3 * (1 + kNumberDigits) + 2 + 1 + kSumDigits + 1;

std::string sealed(std::string line) {
  const std::string checksum = partition::xxh3_hex(as_bytes(line));
  return std::move(line) + " " + checksum + "\n";
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

}  // namespace frond::indexer::write
