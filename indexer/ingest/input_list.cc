#include "indexer/ingest/input_list.h"

#include <algorithm>
#include <system_error>

#include "common/base/bytes.h"

namespace frond::indexer::ingest {
namespace fs = std::filesystem;

InputWalk::InputWalk(fs::path input, bool hidden, Observer observer)
    : input_(std::move(input)), hidden_(hidden), observer_(std::move(observer)) {
  std::error_code error;
  is_folder_ = fs::is_directory(input_, error);
}

std::optional<SkipReason> InputWalk::reason_to_pass(const fs::directory_entry& entry) const {
  std::error_code ignored;
  const fs::file_status status = entry.symlink_status(ignored);
  if (!hidden_ && entry.path().filename().native().starts_with('.')) return SkipReason::kHidden;
  if (fs::is_symlink(status)) return SkipReason::kSymbolicLink;
  if (!fs::is_directory(status) && !fs::is_regular_file(status)) return SkipReason::kSpecial;
  return std::nullopt;
}

void InputWalk::enter(fs::path folder) {
  std::error_code error;
  Level level{std::move(folder), {}};
  std::vector<std::pair<fs::path, SkipReason>> passed;
  fs::directory_iterator at(level.folder, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (const auto reason = reason_to_pass(*at)) {
      if (observer_.passed) passed.emplace_back(at->path(), *reason);
      continue;
    }
    const bool is_folder = fs::is_directory(at->symlink_status(ignored));
    level.entries.push_back({at->path().filename().string() + (is_folder ? "/" : ""), is_folder});
  }
  if (error) {
    if (observer_.unreadable) observer_.unreadable(level.folder, "cannot list the folder: " + error.message());
    return;
  }
  std::ranges::sort(passed);
  for (const auto& [path, reason] : passed) observer_.passed(path, reason);
  std::ranges::sort(level.entries, std::ranges::greater(), &Entry::key);
  levels_.push_back(std::move(level));
}

std::optional<InputFile> InputWalk::next() {
  if (!started_) {
    started_ = true;
    if (!is_folder_) return InputFile{input_, input_.filename().string()};
    enter(input_);
  }
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.entries.empty()) {
      levels_.pop_back();
      continue;
    }
    const Entry entry = std::move(level.entries.back());
    level.entries.pop_back();
    fs::path path = level.folder / (entry.folder ? entry.key.substr(0, entry.key.size() - 1) : entry.key);
    if (entry.folder) {
      enter(std::move(path));
    } else {
      std::string name = path.lexically_relative(input_).string();
      return InputFile{std::move(path), std::move(name)};
    }
  }
  return std::nullopt;
}

bool InputShare::has(std::uint64_t before, std::uint64_t total) const {
  const std::uint64_t each = std::max<std::uint64_t>(1, total / count + (total % count != 0));
  return std::min<std::uint64_t>(before / each, count - 1) == index;  // empty files at the end begin at `total`
}

Result<void> check_input(const fs::path& input) {
  std::error_code error;
  const fs::file_status status = fs::status(input, error);
  if (!fs::exists(status)) return Error(Code::kNotFound, "input " + input.string() + ": no such file or folder");
  if (fs::is_regular_file(status) || fs::is_directory(status) || fs::is_fifo(status)) return {};
  return Error(Code::kInvalid, "input " + input.string() + ": neither a file nor a folder");
}

std::string to_string(const InputSummary& input) {
  return std::to_string(input.files) + " files of " + std::to_string(input.bytes) + " bytes";
}

void InputCensus::add(const InputFile& file) {
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(file.path, unknown);
  const std::uint64_t bytes = unknown ? 0 : size;
  ++files_;
  bytes_ += bytes;
  ByteBuffer record;
  ByteWriter writer(record);
  writer.put_text(file.name);
  writer.put_varint(bytes);
  digest_.update(record);
}

void InputCensus::add_all(const fs::path& input, bool hidden) {
  InputWalk walk(input, hidden);
  while (const std::optional<InputFile> file = walk.next()) add(*file);
}

}  // namespace frond::indexer::ingest
