#include "indexer/resume/build_identity.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "common/base/bytes.h"
#include "common/config/options.h"
#include "common/partition/file_checksum.h"

namespace frond::indexer::resume {
namespace {

namespace fs = std::filesystem;

// Finds the note of type NT_GNU_BUILD_ID in a segment of notes.
std::string build_id_in(ByteView notes) {
  ByteReader in(notes);
  while (in.ok() && in.left() >= sizeof(ElfW(Nhdr))) {
    const auto name_bytes = in.get<std::uint32_t>(), bytes = in.get<std::uint32_t>(), type = in.get<std::uint32_t>();
    const auto padded = [](std::uint32_t size) { return (std::uint64_t{size} + 3) / 4 * 4; };
    const ByteView name = in.get_bytes(padded(name_bytes)), value = in.get_bytes(padded(bytes));
    if (!in.ok() || type != NT_GNU_BUILD_ID || as_text(name) != std::string_view("GNU\0", 4)) continue;
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (const std::byte byte : value.first(bytes)) {
      hex += kDigits[std::to_integer<unsigned>(byte) >> 4];
      hex += kDigits[std::to_integer<unsigned>(byte) & 15];
    }
    return hex;
  }
  return {};
}

int note_build_id(dl_phdr_info* object, std::size_t, void* to) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // The loader's addresses are numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* const begin = reinterpret_cast<const std::byte*>(object->dlpi_addr + segment.p_vaddr);
    std::string found = build_id_in({begin, segment.p_memsz});
    if (found.empty()) continue;
    *static_cast<std::string*>(to) = std::move(found);
    break;
  }
  return 1;  // the first object is the program itself
}

void add_path(partition::Xxh3& digest, const std::string& path, std::uint64_t bytes, const struct stat& status) {
  ByteBuffer record;
  ByteWriter out(record);
  out.put_text(path);
  out.put_varint(bytes);
  out.put(std::int64_t{status.st_mtim.tv_sec});
  out.put(std::int64_t{status.st_mtim.tv_nsec});
  digest.update(record);
}

}  // namespace

std::string this_program() {
  std::string build_id;
  ::dl_iterate_phdr(note_build_id, &build_id);
  return std::string(config::version()) + (build_id.empty() ? "" : " " + build_id);
}

std::optional<ingest::InputSummary> input_identity(std::span<const fs::path> inputs, bool hidden) {
  ingest::InputSummary all;
  partition::Xxh3 digest;
  for (const fs::path& input : inputs) {
    std::error_code failed;
    const fs::file_status status = fs::status(input, failed);
    if (!fs::is_regular_file(status) && !fs::is_directory(status)) return std::nullopt;
    const fs::path absolute = fs::absolute(input, failed);
    if (failed) return std::nullopt;
    digest.update(as_bytes(absolute.lexically_normal().string() + '\0'));
    ingest::InputWalk walk(input, hidden);
    while (const std::optional<ingest::InputFile> file = walk.next()) {
      struct stat found {};
      const bool there = ::stat(file->path.c_str(), &found) == 0;
      const std::uint64_t bytes = there ? static_cast<std::uint64_t>(found.st_size) : 0;
      add_path(digest, file->name, bytes, there ? found : (struct stat){});
      ++all.files;
      all.bytes += bytes;
    }
  }
  all.xxh3 = digest.hex();
  return all;
}

namespace {
std::string change_of(const std::string& what, const std::string& before, const std::string& now) {
  return what + " was " + before + ", and is " + now + " now";
}
}  // namespace

std::string difference(const BuildIdentity& before, const BuildIdentity& now) {
  if (before.program != now.program) return "it was built by " + before.program + ", and this is " + now.program;
  for (const auto& [flag, value] : now.options) {
    const auto same_flag = [&, name = &flag](const auto& other) { return other.first == *name; };
    const auto found = std::find_if(before.options.begin(), before.options.end(), same_flag);
    if (found == before.options.end()) return flag + " is new";
    if (found->second != value) return change_of(flag, found->second, value);
  }
  if (before.options != now.options) return "it had other options";
  if (before.input.files != now.input.files || before.input.bytes != now.input.bytes)
    return "the input was " + ingest::to_string(before.input) + ", and is " + ingest::to_string(now.input) + " now";
  if (!(before.input == now.input)) return "an input file was renamed, or changed since";
  return {};
}

}  // namespace frond::indexer::resume
