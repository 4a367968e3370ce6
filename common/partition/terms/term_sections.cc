#define XXH_INLINE_ALL
#include "common/partition/terms/term_sections.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <xxhash.h>

#include "common/files/write.h"
#include "common/partition/files/rocks.h"
#include "common/partition/files/sst_table.h"
#include "common/partition/format/format.h"

namespace frond::partition {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// A file system whose new file is in memory, for SST files that become parts of another file: it is appended to
// `bytes`, whatever its name is.
class MemoryFile final : public rocksdb::FSWritableFile {
 public:
  explicit MemoryFile(std::string& bytes) : bytes_(bytes) {}
  using FSWritableFile::Append;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& /*options*/, IODebugContext* /*debug*/) override {
    bytes_.append(data.data(), data.size());
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return IOStatus::OK(); }
  std::uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*debug*/) override { return bytes_.size(); }

 private:
  std::string& bytes_;
};

class MemoryFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit MemoryFileSystem(std::string& bytes) : FileSystemWrapper(rocksdb::FileSystem::Default()), bytes_(bytes) {}
  const char* Name() const override { return "memory"; }
  IOStatus NewWritableFile(const std::string& /*name*/, const rocksdb::FileOptions& /*options*/,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* /*debug*/) override {
    *file = std::make_unique<MemoryFile>(bytes_);
    return IOStatus::OK();
  }

 private:
  std::string& bytes_;
};

constexpr std::string_view kMagic = "FRTSECT1";

std::uint64_t checksum_of(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Error no_sections(const char* why) { return Error(Code::kCorrupt, std::string("sections of terms: ") + why); }

}  // namespace

void encode_sections(std::span<const TermSection> sections, ByteBuffer& out) {
  const std::size_t begin = out.size();
  ByteWriter writer(out);
  writer.put_varint(sections.size());
  for (const TermSection& section : sections) {
    writer.put_varint(section.bytes);
    writer.put_text(section.first_term);
  }
  const std::uint64_t bytes = out.size() - begin;
  const std::uint64_t checksum = checksum_of(ByteView(out).subspan(begin));
  writer.put(bytes);
  writer.put(checksum);
  writer.put_bytes(as_bytes(kMagic));
}

Result<std::uint64_t> sections_bytes(ByteView tail, std::uint64_t file_bytes) {
  if (tail.size() < kSectionsEndBytes) return std::uint64_t{0};
  ByteReader reader(tail.last(kSectionsEndBytes));
  const auto bytes = reader.get<std::uint64_t>();
  static_cast<void>(reader.get<std::uint64_t>());
  if (as_text(reader.get_bytes(kMagic.size())) != kMagic) return std::uint64_t{0};
  if (bytes > file_bytes - kSectionsEndBytes) return no_sections("the directory is longer than the file");
  return bytes + kSectionsEndBytes;
}

Result<std::vector<TermSection>> decode_sections(ByteView directory, std::uint64_t file_bytes) {
  if (directory.size() < kSectionsEndBytes || directory.size() > file_bytes) return no_sections("cut short");
  const ByteView listed = directory.first(directory.size() - kSectionsEndBytes);
  if (load_le<std::uint64_t>(directory.last(kSectionsEndBytes).data() + 8) != checksum_of(listed))
    return no_sections("the checksum is wrong");
  ByteReader reader(listed);
  std::vector<TermSection> sections;
  const std::uint64_t count = reader.get_varint();
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    TermSection section;
    section.offset = offset;
    section.bytes = reader.get_varint();
    section.first_term = reader.get_text();
    if (section.bytes > file_bytes - offset) return no_sections("a section is longer than the file");
    if (!sections.empty() && section.first_term <= sections.back().first_term)
      return no_sections("their terms do not ascend");
    offset += section.bytes;
    sections.push_back(std::move(section));
  }
  if (!reader.ok() || !reader.at_end() || count == 0 || offset != file_bytes - directory.size())
    return no_sections("they are not the file");
  return sections;
}

Result<TermSectionsWriter> TermSectionsWriter::create(const std::filesystem::path& file, std::uint32_t threads) {
  auto out = files::open(file, O_WRONLY | O_CREAT | O_TRUNC);
  if (!out) return Error(Code::kUnavailable, out.error().message());
  return TermSectionsWriter(file, *std::move(out), threads);
}

Result<void> TermSectionsWriter::put(std::string_view term, std::uint64_t df) {
  if (terms_.ends.size() == kSectionTerms || terms_.text.size() >= kSectionTextBytes) {
    const std::size_t count = terms_.ends.size();
    last_term_ = terms_.text.substr(count > 1 ? terms_.ends[count - 2] : 0);
    FROND_TRY(end_section({}));
    if (term <= last_term_) return Error(Code::kInvalid, file_.string() + ": terms do not ascend");
  }
  terms_.text.append(term);
  terms_.ends.push_back(static_cast<std::uint32_t>(terms_.text.size()));
  terms_.dfs.push_back(df);
  return {};
}

// totals: those of the file, if the section is its last one.
Result<void> TermSectionsWriter::end_section(std::optional<TermTotals> totals) {
  while (encoding_->sections.full()) FROND_TRY(write_oldest());
  const auto terms = std::make_shared<const Terms>(std::exchange(terms_, {}));
  encoding_->first_terms.push_back(terms->text.substr(0, terms->ends.empty() ? 0 : terms->ends[0]));
  encoding_->sections.begin(std::max(terms->bytes(), kMaxBytes / encoding_->pool.threads()),
                            [file = file_, totals, terms](std::size_t) { return encode(file, *terms, totals); });
  return {};
}

Result<void> TermSectionsWriter::write_oldest() {
  std::string first_term = std::move(encoding_->first_terms.front());
  encoding_->first_terms.pop_front();
  const std::string bytes = FROND_TRY(encoding_->sections.take());
  FROND_TRY(files::write_all(out_, as_bytes(bytes), file_));
  written_.push_back({std::move(first_term), written_bytes_, bytes.size()});
  written_bytes_ += bytes.size();
  return {};
}

Result<std::string> TermSectionsWriter::encode(const std::filesystem::path& file, const Terms& terms,
                                               const std::optional<TermTotals>& totals) {
  return guarded(file.string(), [&]() -> Result<std::string> {
    std::string bytes;
    const auto env = rocksdb::NewCompositeEnv(std::make_shared<MemoryFileSystem>(bytes));
    SstFile out(file, env.get());
    FROND_TRY(out.open());
    ByteBuffer value;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < terms.ends.size(); begin = terms.ends[i++]) {
      value.clear();
      ByteWriter(value).put_varint(terms.dfs[i]);
      FROND_TRY(out.put(std::string_view(terms.text).substr(begin, terms.ends[i] - begin), value));
    }
    if (totals) {
      value.clear();
      encode_totals(*totals, value);
      FROND_TRY(out.put(totals_key(), value));
    }
    FROND_TRY(out.finish());
    return bytes;
  });
}

Result<void> TermSectionsWriter::end(const TermTotals& totals) {
  ended_ = true;
  return end_section(totals);
}

Result<void> TermSectionsWriter::finish(const TermTotals& totals) {
  if (!ended_) FROND_TRY(end(totals));
  while (!encoding_->sections.empty()) FROND_TRY(write_oldest());
  if (written_.size() > 1) {
    ByteBuffer directory;
    encode_sections(written_, directory);
    FROND_TRY(files::write_all(out_, directory, file_));
  }
  return files::sync(out_, file_);
}

}  // namespace frond::partition
