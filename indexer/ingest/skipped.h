#pragma once
// Files that an input has and no document comes from: counted by reason, a few of each named, so that none vanishes in
// silence.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frond::indexer::ingest {

enum class SkipReason : std::uint8_t {
  // What a walk passes over.
  kHidden,
  kSymbolicLink,
  kSpecial,
  // What holds no text that can be read.
  kEmpty,
  kPdf,
  kPostscript,
  kOffice,
  kRtf,
  kXml,
  kWarc,
  kArchive,
  kCompressed,
  kImage,
  kMedia,
  kFont,
  kProgram,
  kData,
  kBinary,
  // What holds records that can't be read as they are.
  kWideRecords,
  kColumns,
};
inline constexpr std::size_t kSkipReasons = 20;

// A word for JSON and metrics: "pdf".
std::string_view name_of(SkipReason reason);
// For people, with what helps: "PDF; convert to text first".
std::string_view meaning_of(SkipReason reason);

// How often something happened, and where it did so first.
struct Tally {
  static constexpr std::size_t kMaxExamples = 3;
  std::uint64_t count = 0;
  std::vector<std::string> examples;
  void add(std::string_view where);
};

// One thread at a time.
class SkippedFiles {
 public:
  void add(SkipReason reason, std::string_view path) { of_[static_cast<std::size_t>(reason)].add(path); }
  std::uint64_t total() const;
  // By SkipReason.
  std::span<const Tally, kSkipReasons> by_reason() const { return of_; }

 private:
  std::array<Tally, kSkipReasons> of_;
};
// "3 pdf (a.pdf, b.pdf, c.pdf), 1 empty (d.txt)"; empty when nothing was skipped.
std::string to_string(const SkippedFiles& skipped);

}  // namespace frond::indexer::ingest
