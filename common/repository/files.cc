#include "common/repository/files.h"

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/base/threads/parallel.h"
#include "common/repository/manifest_members.h"

namespace frond::repository {
namespace {

namespace fs = std::filesystem;

// Of a generation or an epoch: one that nothing comes to, whose next one would be 0, is none.
std::optional<std::uint64_t> usable_number(std::string_view text) {
  const auto number = number_in<std::uint64_t>(text);
  return number && *number <= kMaxNumber ? number : std::nullopt;
}

}  // namespace

Result<void> expect_size(const std::filesystem::path& file, std::uint64_t bytes) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  if (failed) {
    const bool absent = failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory;
    return Error(absent ? Code::kInvalid : Code::kUnavailable, file.string() + ": " + failed.message());
  }
  if (size == bytes) return {};
  return Error(Code::kInvalid,
               file.string() + ": " + std::to_string(size) + " bytes instead of " + std::to_string(bytes));
}

Result<CurrentLine> parse_current_line(std::string_view text) {
  const Error wrong(Code::kCorrupt, "CURRENT does not hold a generation's number");
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const auto space = text.find(' ');
  const auto generation = usable_number(text.substr(0, space));
  if (!generation || (space == text.npos && *generation == 0)) return wrong;
  if (space == text.npos) return CurrentLine{*generation};
  const auto epoch = usable_number(text.substr(space + 1));
  if (!epoch || *epoch == 0) return wrong;
  return CurrentLine{*generation, *epoch};
}

std::string to_text(const CurrentLine& line) {
  const std::string number = std::to_string(line.generation);
  return line.epoch == 0 ? number + "\n" : number + " " + std::to_string(line.epoch) + "\n";
}

Result<Generation> parse_current(std::string_view text) {
  const CurrentLine line = FROND_TRY(parse_current_line(text));
  if (line.generation == 0) return Error(Code::kNotFound, "nothing is published yet");
  return line.generation;
}

std::uint64_t number_of(std::string_view name) { return usable_number(name).value_or(0); }

Generation generation_of(const fs::path& file) {
  const std::string name = file.filename().string();
  const auto dot = name.find('.');
  if (dot == name.npos ||
      (name.substr(dot) != ".json" && name.substr(dot) != ".terms.sst" && name.substr(dot) != ".changes.sst"))
    return 0;
  const auto generation = parse_current(name.substr(0, dot));
  return generation ? *generation : 0;
}

bool is_manifest(const fs::path& file) { return file.extension() == ".json" && generation_of(file) != 0; }

Named::Named(const Manifest& manifest) : previous(manifest.previous) {
  files.insert(manifest.term_statistics.name);
  for (const auto& change : manifest.changes) files.insert(change.name);
  for (const auto& entry : manifest.partitions) partitions.insert(entry.id);
}

NamedByGeneration read_named(const RepositorySource& source, std::span<const std::string> names,
                             NamedByGeneration known, std::size_t at_once) {
  std::vector<Generation> unknown;
  for (const auto& name : names)
    if (is_manifest(name) && !known.contains(generation_of(name))) unknown.push_back(generation_of(name));
  std::vector<Result<Named>> read(unknown.size(), Error(Code::kUnavailable, "not read"));
  (void)in_parallel(unknown.size(), at_once, [&](std::size_t i) -> Result<void> {
    auto manifest = source.manifest(unknown[i]);
    read[i] = manifest ? Result<Named>(Named(*manifest)) : Result<Named>(std::move(manifest).error());
    return {};
  });
  for (std::size_t i = 0; i < unknown.size(); ++i) known.emplace(unknown[i], std::move(read[i]));
  return known;
}

}  // namespace frond::repository
