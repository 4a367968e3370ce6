#include "common/repository/storage/partial_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "common/files/read.h"
#include "common/files/write.h"

namespace frond::repository {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxNoteBytes = 512;

// What a front is the front of.
std::string name_of(const PartitionFile& file) { return file.xxh3 + " " + std::to_string(file.bytes) + "\n"; }

std::string read_note(const fs::path& note) {
  auto text = files::read_text(note, kMaxNoteBytes);
  return text ? *std::move(text) : std::string();
}

}  // namespace

PartialFile::PartialFile(const fs::path& to, const PartitionFile& expected)
    : final_name_(to), part_(fs::path(to) += kPartSuffix), note_(fs::path(to) += kNoteSuffix), expected_(&expected) {}

Result<PartialFile> PartialFile::open(const fs::path& to, const PartitionFile& expected) {
  PartialFile made(to, expected);
  made.file_ = FROND_TRY(files::open(made.part_, O_RDWR | O_CREAT));
  made.checksum_ = std::make_unique<partition::Xxh3>();
  if (!made.take_over()) FROND_TRY(made.begin(0, {}));
  return made;
}

// What is there. kNotFound: nothing that is of any use.
Result<void> PartialFile::take_over() {
  const std::string note = read_note(note_), wanted = name_of(*expected_);
  std::error_code failed;
  const std::uint64_t bytes = fs::file_size(part_, failed);
  if (failed || bytes == 0 || bytes > expected_->bytes || !note.starts_with(wanted))
    return Error(Code::kNotFound, "nothing to go on from");
  FROND_TRY(files::read_file(part_, [&](ByteView piece) -> Result<void> {
    checksum_->update(piece);
    size_ += piece.size();
    return {};
  }));
  if (::lseek(file_.get(), static_cast<off_t>(size_), SEEK_SET) < 0)
    return files::system_error(Code::kUnavailable, "reading", part_);
  etag_ = note.substr(wanted.size());
  while (etag_.ends_with('\n')) etag_.pop_back();
  return {};
}

Result<void> PartialFile::begin(std::uint64_t from, const std::string& etag) {
  if (from == size_ && from > 0) {
    if (etag == etag_) return {};
  } else {
    if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) < 0)
      return files::system_error(Code::kUnavailable, "writing", part_);
    checksum_ = std::make_unique<partition::Xxh3>();
    size_ = 0;
  }
  etag_ = etag;
  return files::write_file(note_, name_of(*expected_) + etag_ + "\n");
}

Result<void> PartialFile::append(ByteView piece) {
  if (size_ + piece.size() > expected_->bytes)
    return Error(Code::kCorrupt, "longer than its " + std::to_string(expected_->bytes) + " bytes");
  FROND_TRY(files::write_all(file_, piece, part_));
  checksum_->update(piece);
  size_ += piece.size();
  return {};
}

Result<void> PartialFile::finish() {
  if (!has_all())
    return Error(Code::kCorrupt, std::to_string(size_) + " bytes instead of " + std::to_string(expected_->bytes));
  if (checksum_->hex() != expected_->xxh3) return Error(Code::kCorrupt, "its checksum is wrong");
  FROND_TRY(files::sync(file_, part_));
  FROND_TRY(files::rename(part_, final_name_));
  std::error_code ignored;
  fs::remove(note_, ignored);
  return files::sync_parent(final_name_);
}

void PartialFile::discard() {
  std::error_code ignored;
  fs::remove(part_, ignored);
  fs::remove(note_, ignored);
}

}  // namespace frond::repository
