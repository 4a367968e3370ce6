#pragma once
// A temporary folder for a test, removed with its contents when the object is destroyed.
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "common/base/check.h"

namespace frond::support {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "frond-test-XXXXXX").string();
    FROND_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  FROND_CHECK(out.flush().good());
}

// Changes one byte in place and keeps the inode, as a failing disk would.
inline void flip_byte(const std::filesystem::path& file, std::uint64_t at) {
  std::fstream io(file, std::ios::binary | std::ios::in | std::ios::out);
  io.seekg(static_cast<std::streamoff>(at));
  const char flipped = static_cast<char>(io.get() ^ 0x40);
  io.seekp(static_cast<std::streamoff>(at));
  io.put(flipped);
  FROND_CHECK(io.flush().good());
}

}  // namespace frond::support
