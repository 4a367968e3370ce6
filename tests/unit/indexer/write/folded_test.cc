#include "indexer/write/operation_log.h"

#include <gtest/gtest.h>

namespace frond::indexer::write {
namespace {

std::vector<std::string> lines_of(const Folded& change) {
  std::vector<std::string> lines;
  for (const Operation* document : change.documents) lines.push_back(document->line);
  return lines;
}
using Texts = std::vector<std::string>;

TEST(Folded, KeepsTheLastOfEachIdInTheOrderOfAcceptance) {
  const std::vector<Operation> operations = {{"a", "a1"}, {"b", "b1"}, {"c", "c1"}, {"a", "a2"}, {"b", ""}};
  const Folded change = folded(operations);
  EXPECT_EQ(lines_of(change), (Texts{"c1", "a2"}));
  EXPECT_EQ(change.removed_ids, Texts{"b"});
}
TEST(Folded, ADocumentThatComesBackIsNotRemoved) {
  const std::vector<Operation> operations = {{"a", "a1"}, {"a", ""}, {"a", ""}, {"a", "a2"}, {"x", ""}, {"x", ""}};
  const Folded change = folded(operations);
  EXPECT_EQ(lines_of(change), Texts{"a2"});
  EXPECT_EQ(change.removed_ids, Texts{"x"});
}
TEST(Folded, OfNothingIsNothing) {
  const Folded change = folded({});
  EXPECT_TRUE(change.documents.empty());
  EXPECT_TRUE(change.removed_ids.empty());
}

}  // namespace
}  // namespace frond::indexer::write
