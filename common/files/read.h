#pragma once
// Reading files. Errors are kUnavailable unless said otherwise, and name the file and the cause.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::files {

// What is in a folder, in no order. kNotFound: there is no such folder. A range over a directory_iterator would throw.
Result<std::vector<std::filesystem::path>> entries_of(const std::filesystem::path& folder);
// The same, or what could be read of it: for what is tried again.
std::vector<std::filesystem::path> some_entries_of(const std::filesystem::path& folder);

// Calls `sink` with pieces of at most 256 KiB, from byte `from` to the end; stops at the sink's first error and returns
// it. kNotFound: there is no such file.
Result<void> read_file(const std::filesystem::path& path, const std::function<Result<void>(ByteView)>& sink,
                       std::uint64_t from = 0);
// The same of an open file, from where it stands; `path` is for messages.
Result<void> read_file(const Descriptor& file, const std::filesystem::path& path,
                       const std::function<Result<void>(ByteView)>& sink, std::uint64_t from = 0);
// The whole content. kNotFound: there is no such file; kCorrupt: it has more than `max_bytes`.
Result<std::string> read_text(const std::filesystem::path& path, std::size_t max_bytes);
// The same of what open_input() opens. kInvalid: it is too large.
Result<std::string> read_input(const std::filesystem::path& path, std::size_t max_bytes);
// read(2) from where the file stands: 0 bytes at its end.
Result<std::size_t> read_some(const Descriptor& file, std::span<char> out, const std::filesystem::path& path);
// Reads into `out` from byte `from` and returns how many bytes were read: fewer than out.size() only at the file's end.
// `path` is for messages.
Result<std::size_t> read_at(const Descriptor& file, std::uint64_t from, std::span<std::byte> out,
                            const std::filesystem::path& path);
// The file's size in bytes.
Result<std::uint64_t> size_of(const Descriptor& file, const std::filesystem::path& path);

}  // namespace frond::files
