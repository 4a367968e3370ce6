#pragma once
// The file of term statistics, in sections: several threads encode, one writes. Terms fill one section after the other,
// so where sections begin depends on the terms alone. Format: docs/formats/partition.md, "Term statistics".
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/base/threads/task_pool.h"
#include "common/files/descriptor.h"
#include "common/partition/terms/term_statistics.h"

namespace frond::partition {

// A section ends with the term that reaches one of these.
inline constexpr std::size_t kSectionTerms = std::size_t{1} << 16, kSectionTextBytes = std::size_t{2} << 20;

// Where the sections of a file are. Each is an SST file.
struct TermSection {
  std::string first_term;
  std::uint64_t offset = 0, bytes = 0;
};
// Behind the sections. There are several.
void encode_sections(std::span<const TermSection> sections, ByteBuffer& out);
// `tail`: the end of a file of `file_bytes`, kSectionsEndBytes of it or more. Bytes of the directory and its end; 0:
// the file is one SST file. kCorrupt.
inline constexpr std::size_t kSectionsEndBytes = 24;
Result<std::uint64_t> sections_bytes(ByteView tail, std::uint64_t file_bytes);
// `directory`: those bytes. kCorrupt.
Result<std::vector<TermSection>> decode_sections(ByteView directory, std::uint64_t file_bytes);

// One thread, which begins others. Errors, of all methods, name the file: kUnavailable, the disk; kInvalid: terms do
// not ascend. The allocator and the system's threads may throw: callers are in guarded().
class TermSectionsWriter {
 public:
  // Sections that are encoded or wait take so much at most, and there is at most one more than threads.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{32} << 20;
  // Creates the file. At most `threads` sections are encoded at a time.
  static Result<TermSectionsWriter> create(const std::filesystem::path& file, std::uint32_t threads);

  // Terms ascend in byte order.
  Result<void> put(std::string_view term, std::uint64_t df);
  // After all terms, by who has something else to do before finish(): the last section is encoded meanwhile.
  Result<void> end(const TermTotals& totals);
  // After all terms. Syncs the file.
  Result<void> finish(const TermTotals& totals);

 private:
  struct Terms {
    std::string text;
    std::vector<std::uint32_t> ends;  // in `text`
    std::vector<std::uint64_t> dfs;
    std::uint64_t bytes() const { return text.size() + ends.size() * (sizeof ends[0] + sizeof dfs[0]); }
  };
  struct Encoding {
    explicit Encoding(std::uint32_t threads) : pool("encode", threads), sections(pool, kMaxBytes) {}
    TaskPool pool;
    OrderedTasks<std::string> sections;
    std::deque<std::string> first_terms;  // of these
  };
  TermSectionsWriter(std::filesystem::path file, files::Descriptor out, std::uint32_t threads)
      : file_(std::move(file)), out_(std::move(out)), encoding_(std::make_unique<Encoding>(threads)) {}
  static Result<std::string> encode(const std::filesystem::path& file, const Terms& terms,
                                    const std::optional<TermTotals>& totals);
  Result<void> end_section(std::optional<TermTotals> totals);
  Result<void> write_oldest();

  std::filesystem::path file_;
  files::Descriptor out_;
  Terms terms_;            // of the next section
  bool ended_ = false;     // there is none
  std::string last_term_;  // of the section before it
  std::unique_ptr<Encoding> encoding_;
  std::vector<TermSection> written_;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace frond::partition
