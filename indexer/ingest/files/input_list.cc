#include "indexer/ingest/files/input_list.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
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

// What repositories (also one that is being built) and databases have; see repository_writer.cc. Copies have no LOCK.
bool InputWalk::is_of_frond(const Level& level) {
  const auto has = [&](std::string_view key) {
    return std::ranges::find(level.entries, key, &Entry::key) != level.entries.end();
  };
  const auto has_manifest = [&] {
    return std::ranges::any_of(level.entries, [](const Entry& entry) { return entry.key.starts_with("MANIFEST-"); });
  };
  if (has("generations/")) return has("CURRENT") || has("partitions/") || has("LOCK");
  return (has("LOCK") && has("builds/")) || (has("CURRENT") && has_manifest());
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
  if (is_of_frond(level)) {
    if (observer_.passed) observer_.passed(level.folder, SkipReason::kRepository);
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

namespace {

// The last `count` components of a path.
std::string tail_of(const fs::path& path, std::size_t count) {
  fs::path tail;
  fs::path rest = path;
  for (; count > 0 && rest.has_relative_path(); --count, rest = rest.parent_path())
    tail = tail.empty() ? rest.filename() : rest.filename() / tail;
  return tail.string();
}

}  // namespace

InputNames::InputNames(std::span<const fs::path> inputs) {
  std::set<fs::path> folders;
  std::size_t most = 1;
  for (const fs::path& input : inputs) {
    std::error_code failed;
    fs::path path = fs::absolute(input, failed).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    const bool is_folder = fs::is_directory(path, failed);
    inputs_.push_back({is_folder ? path : path.parent_path(), is_folder ? "" : path.filename().string()});
    const fs::path& folder = *folders.insert(inputs_.back().folder).first;
    most = std::max<std::size_t>(most, std::distance(folder.begin(), folder.end()));
  }
  for (std::set<std::string> tails; label_parts_ < most; ++label_parts_) {
    tails.clear();
    for (const fs::path& folder : folders) tails.insert(tail_of(folder, label_parts_));
    if (tails.size() == folders.size()) break;
  }
}

bool InputNames::Input::holds(const std::string& name) const {
  std::error_code failed;
  return file.empty() ? fs::is_regular_file(fs::symlink_status(folder / name, failed)) : file == name;
}

std::string InputNames::name(std::size_t input, const InputFile& file) const {
  const fs::path& own = inputs_[input].folder;
  const auto is_before = [&](const Input& other) { return other.folder < own && other.holds(file.name); };
  if (std::ranges::none_of(inputs_, is_before)) return file.name;
  for (std::size_t parts = label_parts_;; ++parts) {
    const std::string label = tail_of(own, parts), name = label + "/" + file.name;
    const auto has_it = [&](const Input& other) { return other.folder != own && other.holds(name); };
    if (label == tail_of(own, parts + 1) || std::ranges::none_of(inputs_, has_it)) return name;
  }
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
