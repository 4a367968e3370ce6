#pragma once
// Files that are not read, and records that hold no document: counted by reason, with a few examples each, so that
// nothing is left out unnoticed.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
};
inline constexpr std::size_t kSkipReasons = 30;

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
// "3 pdf (a.pdf, b.pdf, c.pdf), 1 empty (d.txt)". Empty: nothing was skipped.
std::string to_string(const Skipped& skipped);

}  // namespace frond::indexer::ingest
