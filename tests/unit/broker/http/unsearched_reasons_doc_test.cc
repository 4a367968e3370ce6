// The pages for users and the API's description list the reasons of common/wire/reasons.h, all
// of them and no others.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/wire/reasons.h"

namespace frond::broker::http {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The cells of the first table after `heading`, a row each, without its first two lines.
std::vector<std::vector<std::string>> table_after(const std::string& page, const std::string& heading) {
  std::istringstream in(page.substr(std::min(page.find(heading), page.size())));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ")) {
      if (rows.empty()) continue;
      break;
    }
    std::vector<std::string> cells;
    for (std::size_t at = 2; at < line.size();) {
      const auto end = line.find(" |", at);
      cells.push_back(line.substr(at, end - at));
      at = end == std::string::npos ? line.size() : end + 3;
    }
    rows.push_back(std::move(cells));
  }
  if (rows.size() < 2) return {};
  rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

TEST(UnsearchedReasons, StandInTheOrderOfTheirNumbers) {
  for (std::size_t i = 0; i < std::size(wire::kUnsearchedReasons); ++i)
    EXPECT_EQ(static_cast<std::size_t>(wire::kUnsearchedReasons[i].reason), i);
}

TEST(UnsearchedReasons, StandInHttpApiMdWithTheirMeaning) {
  const auto rows = table_after(text_of("docs/http-api.md"), "`coverage.degraded` lists");
  ASSERT_EQ(rows.size(), std::size(wire::kUnsearchedReasons));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 2u);
    EXPECT_EQ(rows[i][0], "`" + std::string(wire::kUnsearchedReasons[i].name) + "`");
    EXPECT_EQ(rows[i][1], wire::kUnsearchedReasons[i].meaning);
  }
}

TEST(UnsearchedReasons, StandInOperationsMd) {
  const auto rows = table_after(text_of("docs/operations.md"), "`coverage.degraded` names");
  ASSERT_EQ(rows.size(), std::size(wire::kUnsearchedReasons));
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i].at(0), "`" + std::string(wire::kUnsearchedReasons[i].name) + "`");
}

TEST(UnsearchedReasons, StandInTheApisDescription) {
  const auto api = nlohmann::json::parse(text_of("broker/web/static/openapi.json"));
  const nlohmann::json::json_pointer at(
      "/components/schemas/Coverage/properties/degraded/items/properties/reason/enum");
  nlohmann::json names = nlohmann::json::array();
  for (const auto& row : wire::kUnsearchedReasons) names.push_back(row.name);
  EXPECT_EQ(api[at], names);
}

TEST(RunReasons, StandInHttpApiMdWithTheirMeaning) {
  const auto rows = table_after(text_of("docs/http-api.md"), "`reason` is one of");
  ASSERT_EQ(rows.size(), std::size(wire::kRunReasons));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 2u);
    EXPECT_EQ(rows[i][0], "`" + std::string(wire::kRunReasons[i].name) + "`");
    EXPECT_EQ(rows[i][1], wire::kRunReasons[i].meaning);
  }
}

TEST(RunReasons, StandInTheApisDescription) {
  const auto api = nlohmann::json::parse(text_of("broker/web/static/openapi.json"));
  nlohmann::json reasons = nlohmann::json::array(), queues = nlohmann::json::array();
  for (const auto& row : wire::kRunReasons) reasons.push_back(row.name);
  for (const auto name : wire::kRunQueues) queues.push_back(name);
  EXPECT_EQ(api[nlohmann::json::json_pointer("/components/schemas/SearchRun/properties/reason/enum")], reasons);
  EXPECT_EQ(api[nlohmann::json::json_pointer("/components/schemas/SearchRun/properties/queue/enum")], queues);
}
}  // namespace
}  // namespace frond::broker::http
