#pragma once
// A log of operations in a folder of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indexer/write/operation_log.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::write {

inline constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;

inline std::vector<std::string> ids_of(const OperationLog::Taken& taken) {
  std::vector<std::string> ids;
  for (const Operation& operation : taken.operations) ids.push_back(operation.id + (operation.removes() ? "-" : "+"));
  return ids;
}
using Texts = std::vector<std::string>;

class OperationLogTest : public ::testing::Test {
 protected:
  void open(Sequence published = 0, const std::string& log_id = "") {
    log.reset();
    auto opened = OperationLog::open(folder.path() / "log", {log_id, published});
    ASSERT_TRUE(opened) << opened.error().message();
    log = *std::move(opened);
  }
  Result<Appended> append(std::initializer_list<Operation> operations, const std::optional<RequestMark>& mark = {},
                          std::uint64_t max = kMuch) {
    return log->append(std::vector<Operation>(operations), mark, max);
  }
  // In the order of their names, so the newest of the write-ahead logs is the last one that ends in .log.
  std::vector<std::filesystem::path> files_of(const char* name) {
    std::vector<std::filesystem::path> all;
    for (const auto& file : std::filesystem::directory_iterator(folder.path() / name)) all.push_back(file.path());
    std::ranges::sort(all, {}, [](const auto& path) { return std::pair(path.extension() == ".log", path); });
    return all;
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::filesystem::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
  }
  support::ScratchFolder folder;
  std::unique_ptr<OperationLog> log;
};

}  // namespace frond::indexer::write
