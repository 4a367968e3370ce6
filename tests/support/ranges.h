#pragma once
// Gives ranges of local files, as an object store does, and counts them.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

#include "common/partition/ranged/ranged_tables.h"

namespace frond::support {

// `reader` borrows it.
class Ranges {
 public:
  explicit Ranges(std::filesystem::path folder) : folder_(std::move(folder)) {}
  partition::ReadRange reader() {
    return [this](const partition::PartitionFile& file, std::uint64_t from, std::size_t bytes) -> Result<ByteBuffer> {
      ++requests;
      const unsigned now = ++running;
      for (unsigned most = most_running; most < now && !most_running.compare_exchange_weak(most, now);) {
      }
      const struct Leaving {
        std::atomic<unsigned>& count;
        ~Leaving() { --count; }
      } leaving{running};
      if (failing) return Error(Code::kUnavailable, "the store is away");
      ByteBuffer got(bytes);
      std::ifstream in(folder_ / file.name, std::ios::binary);
      in.seekg(static_cast<std::streamoff>(from));
      in.read(reinterpret_cast<char*>(got.data()), static_cast<std::streamsize>(bytes));
      got.resize(static_cast<std::size_t>(in.gcount()));
      total += got.size();
      return got;
    };
  }
  std::atomic<std::uint64_t> requests = 0, total = 0;
  std::atomic<unsigned> running = 0, most_running = 0;
  bool failing = false;

 private:
  const std::filesystem::path folder_;
};

}  // namespace frond::support
