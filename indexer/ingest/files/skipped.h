#pragma once
// Files that are not read, and records that hold no document: counted by reason, with a few examples each, so that
// nothing is left out unnoticed.
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace frond::indexer::ingest {

enum class SkipReason : std::uint8_t {
  // Passed over by the walk.
  kHidden,
  kSymbolicLink,
  kSpecial,
  // Without text that can be read.
  kEmpty,
  kPdf,
  kPostscript,
  kOffice,
  kRtf,
  kXml,
  kWarc,
  kCiff,
  kArchive,
  kCompressed,
  kImage,
  kMedia,
  kFont,
  kProgram,
  kData,
  kBinary,
  // With records that cannot be read as they are.
  kWideRecords,
  kColumns,
  // Of records.
  kWarcOther,
  kRevisit,
  kSegmented,
  kHttpStatus,
  kCoding,
  kCode,
  kOtherType,
  kRedirect,
  kNamespace,
  // Of files, again: the order is of reports and metrics, to which further ones are added at the end.
  kNoRecords,
  kRepository,
  kEnd,  // none: stays behind the last one
};
inline constexpr auto kSkipReasons = static_cast<std::size_t>(SkipReason::kEnd);

// The name in JSON and metrics: "pdf".
std::string_view name_of(SkipReason reason);
// For people, with the remedy: "PDF; convert them to text".
std::string_view meaning_of(SkipReason reason);

// How often something happened, and the first places.
struct Tally {
  static constexpr std::size_t kMaxExamples = 3;
  std::uint64_t count = 0;
  std::vector<std::string> examples;
  void add(std::string_view where);
};

// One thread.
class Skipped {
 public:
  // `where`: a path, or a path and a record.
  void add(SkipReason reason, std::string_view where) { of_[static_cast<std::size_t>(reason)].add(where); }
  void set(SkipReason reason, Tally tally) { of_[static_cast<std::size_t>(reason)] = std::move(tally); }
  std::uint64_t total() const;
  // By SkipReason.
  std::span<const Tally, kSkipReasons> by_reason() const { return of_; }

 private:
  std::array<Tally, kSkipReasons> of_;
};
// A file with a line for each skipped file: the reason's name, a tab, and the path, in which backslashes, tabs and line
// feeds are escaped. One thread.
class SkippedList {
 public:
  explicit SkippedList(std::filesystem::path file) : file_(std::move(file)) {}
  // `anew`: what is in the file goes; otherwise a build is gone on with, and its list, too. kUnavailable.
  Result<void> begin(bool anew);
  void add(SkipReason reason, std::string_view path);
  // kUnavailable: not all could be written.
  Result<void> end();

 private:
  Result<void> check() const;
  std::filesystem::path file_;
  std::ofstream out_;
};

// "3 pdf (a.pdf, b.pdf, c.pdf), 1 empty (d.txt)". Empty: nothing was skipped.
std::string to_string(const Skipped& skipped);

}  // namespace frond::indexer::ingest
