#include "leaf/serve/search/term_table.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/unit/leaf/serve/served_fixture.h"

namespace frond::leaf::serve {
namespace {

constexpr std::size_t kBudget = std::size_t{1} << 20;

// Device memory with lists of the test's choice. Counts the questions.
class FakeDevice final : public lists::DeviceLists {
 public:
  lists::DeviceLease find(const lists::ListKey& key) override {
    ++asked;
    return key.term == "t1" ? list : nullptr;
  }
  std::shared_ptr<const void> find_array(const std::shared_ptr<const void>&) override { return nullptr; }
  std::shared_ptr<lists::CachedList> list = std::make_shared<lists::CachedList>();
  int asked = 0;
};

class TermTableOfAGeneration : public testing::Test {
 protected:
  const generation::ServedGeneration& generation() const { return *set_->front(); }
  lists::ListLease list_of(const std::string& term, std::size_t partition) {
    const lists::ListKey key{generation().partitions[partition].open->number(), term};
    return (*served_.store.fetch({&key, 1}, Deadline::never()))[0];
  }

  ServedCollection served_{support::random_documents(100, 71), 2};
  std::shared_ptr<const generation::ServedSet> set_ = served_.board.get();
  TermTable table_{kBudget};
};

TEST_F(TermTableOfAGeneration, KnowsWhatTheGenerationSays) {
  const auto term = *table_.look_up(generation(), "t1");
  EXPECT_EQ(term->text(), "t1");
  EXPECT_EQ(term->df(), *generation().terms->df("t1"));
  EXPECT_EQ(term->weight(), scoring::term_weight(generation().bm25, generation().statistics, term->df(), 1));
  EXPECT_EQ(*table_.look_up(generation(), "t1"), term);
  EXPECT_EQ((*table_.look_up(generation(), "nowhere"))->df(), 0u);
  EXPECT_EQ((*table_.look_up(generation(), "nowhere"))->df(), 0u);
  EXPECT_EQ(table_.counters().hits, 2u);
  EXPECT_EQ(table_.counters().misses, 2u);
  EXPECT_GT(table_.counters().bytes, 0u);
}

TEST_F(TermTableOfAGeneration, TellsGenerationsApart) {
  ServedCollection other(support::random_documents(300, 72), 1);
  generation::ServedGeneration later;  // as a loader makes the next one
  later.serial = generation().serial + 1;
  later.statistics = other.board.get()->front()->statistics;
  later.terms = other.board.get()->front()->terms;
  const auto term = *table_.look_up(generation(), "t1"), of_later = *table_.look_up(later, "t1");
  EXPECT_NE(term->df(), of_later->df());
  EXPECT_EQ(*table_.look_up(generation(), "t1"), term);
  later.serial = 0;
  EXPECT_NE(*table_.look_up(later, "t1"), *table_.look_up(later, "t1"));
}

TEST_F(TermTableOfAGeneration, StaysWithinItsBudget) {
  TermTable small(16 << 10), none(0);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = "unknown" + std::to_string(i);
    ASSERT_TRUE(small.look_up(generation(), text));
    ASSERT_TRUE(none.look_up(generation(), text));
  }
  EXPECT_LE(small.counters().bytes, small.budget_bytes());
  EXPECT_GT(small.counters().evictions, 1500u);
  EXPECT_EQ((*small.look_up(generation(), std::string(8 << 10, 'x')))->df(), 0u);  // larger than a quarter
  EXPECT_LE(small.counters().bytes, small.budget_bytes());
  EXPECT_EQ(none.counters().bytes, 0u);
}

TEST_F(TermTableOfAGeneration, LeadsToListsThatTheirCacheKeeps) {
  const auto term = *table_.look_up(generation(), "t1");
  EXPECT_FALSE(term->on_host(1));
  auto list = list_of("t1", 1);
  term->keep(1, list);
  EXPECT_FALSE(term->on_host(0));  // the other partition's
  EXPECT_FALSE(list->take_mark());
  EXPECT_EQ(term->on_host(1), list);
  EXPECT_TRUE(list->take_mark()) << "the cache would take it for unused";
  list.reset();
  EXPECT_FALSE(term->on_host(1));
}

TEST_F(TermTableOfAGeneration, RemembersWhichPartitionsLackATerm) {
  FakeDevice device;
  const std::string own = "own" + support::random_documents(100, 71)[0].id;  // in document 0, so in partition 0
  const auto term = *table_.look_up(generation(), own);
  ASSERT_EQ(term->df(), 1u);
  for (const std::size_t partition : {0, 1}) term->keep(partition, list_of(own, partition));
  ASSERT_TRUE(term->on_host(1));
  EXPECT_EQ(*term->on_host(1), nullptr);
  EXPECT_EQ(term->on_device(1, 2, device), lists::DeviceLease());
  EXPECT_EQ(device.asked, 0);
  EXPECT_FALSE(term->on_device(0, 1, device));
  EXPECT_EQ(device.asked, 1);
}

TEST_F(TermTableOfAGeneration, AsksTheDeviceOnce) {
  FakeDevice device;
  const auto term = *table_.look_up(generation(), "t1");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(term->on_device(0, 1, device), lists::DeviceLease(device.list));
  EXPECT_EQ(device.asked, 1);
  EXPECT_TRUE(device.list->take_mark());
  device.list.reset();
  EXPECT_FALSE(term->on_device(0, 1, device));
  EXPECT_EQ(device.asked, 2);
}

TEST_F(TermTableOfAGeneration, ServesManyThreads) {
  TermTable small(8 << 10);
  std::vector<lists::ListLease> lists;
  lists.reserve(12);
  for (int t = 0; t < 12; ++t) lists.push_back(list_of("t" + std::to_string(t), 0));
  std::vector<std::jthread> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      FakeDevice device;
      for (int i = 0; i < 3000; ++i) {
        const std::size_t number = random() % lists.size();
        const std::string text = "t" + std::to_string(number);
        const auto term = *small.look_up(generation(), text);
        ASSERT_EQ(term->text(), text);
        ASSERT_EQ(term->df(), *generation().terms->df(text));
        const auto kept = term->on_host(0);
        ASSERT_TRUE(!kept || *kept == lists[number]);
        term->keep(0, lists[number]);
        ASSERT_TRUE(!term->on_device(0, 1, device) || number == 1);
      }
    });
  threads.clear();
  EXPECT_LE(small.counters().bytes, small.budget_bytes());
  EXPECT_EQ(small.counters().hits + small.counters().misses, 12'000u);
}

}  // namespace
}  // namespace frond::leaf::serve
