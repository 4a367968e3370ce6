// Clients share workers by their weights, in virtual time.
#include "leaf/schedule/search_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace frond::leaf::schedule {
namespace {

using std::chrono::microseconds;

Task search_of(const Client& client, std::uint64_t weight = 0, Deadline deadline = Deadline::never()) {
  Task task;
  task.client = client;
  task.weight = weight;
  task.deadline = deadline;
  return task;
}

// Workers that take searches from a queue; each client's searches take its own time.
class Workers {
 public:
  explicit Workers(std::size_t workers) : free_at_(workers, 0) {}

  void add(const Client& client, std::int64_t us, int count = 1) {
    took_[client.id] = us;
    for (int i = 0; i < count; ++i) {
      queue_.push(search_of(client), at(now_us_));
    }
  }
  // Until then, or until nothing waits. A client of `again` asks again for each search that has ended.
  void run_until(std::int64_t end_us, const std::vector<Client>& again = {}) {
    while (true) {
      const auto worker = std::min_element(free_at_.begin(), free_at_.end());
      now_us_ = std::max(now_us_, *worker);
      finish(again);
      if (now_us_ >= end_us || queue_.size() == 0) return;
      WaitingTask next = queue_.pop();
      const Client client = next.task.client;
      *worker = now_us_ + took_[client.id];
      running_.push_back({*worker, client, next.charged_ns});
      longest_wait_us_[client.id] = std::max(
          longest_wait_us_[client.id], std::chrono::duration_cast<microseconds>(at(now_us_) - next.since).count());
    }
  }
  std::int64_t served_us(std::uint32_t client) const {
    const auto served = served_us_.find(client);
    return served == served_us_.end() ? 0 : served->second;
  }
  std::int64_t longest_wait_us(std::uint32_t client) { return longest_wait_us_[client]; }
  std::int64_t now_us() const { return now_us_; }
  SearchQueue& queue() { return queue_; }

 private:
  struct Running {
    std::int64_t end_us;
    Client client;
    std::int64_t charged_ns;
  };
  static Instant at(std::int64_t us) { return Instant(microseconds(us)); }
  void finish(const std::vector<Client>& again) {
    std::erase_if(running_, [&](const Running& one) {
      if (one.end_us > now_us_) return false;
      queue_.ended(one.client, one.charged_ns, took_[one.client.id] * 1000);
      served_us_[one.client.id] += took_[one.client.id];
      const bool asks = std::ranges::any_of(again, [&](const Client& client) { return client.id == one.client.id; });
      if (asks) add(one.client, took_[one.client.id]);
      return true;
    });
  }

  SearchQueue queue_{ClientTimes::kUsualSecret};
  std::vector<std::int64_t> free_at_;
  std::vector<Running> running_;
  std::map<std::uint32_t, std::int64_t> took_, served_us_, longest_wait_us_;
  std::int64_t now_us_ = 0;
};

constexpr Client kSmall{.id = 1}, kLarge{.id = 2}, kThird{.id = 3}, kThreeTimes{.id = 4, .weight = 3};

TEST(SearchQueue, SharesTheTimeByWeights) {
  for (const std::size_t workers : {1, 3}) {
    Workers leaf(workers);
    leaf.add(kLarge, 10'000, 400);
    leaf.add(kThreeTimes, 2'000, 9000);
    leaf.run_until(1'000'000);
    const auto all = static_cast<std::int64_t>(workers) * 1'000'000;
    EXPECT_NEAR(static_cast<double>(leaf.served_us(kLarge.id)) / static_cast<double>(all), 0.25, 0.02);
    EXPECT_NEAR(static_cast<double>(leaf.served_us(kThreeTimes.id)) / static_cast<double>(all), 0.75, 0.02);
  }
}

TEST(SearchQueue, GivesAClientAloneEverything) {
  Workers leaf(2);
  leaf.add(kLarge, 10'000, 200);
  leaf.run_until(1'000'000);
  EXPECT_EQ(leaf.served_us(kLarge.id), 2'000'000);
}

TEST(SearchQueue, LetsALightClientWaitForAboutOneSearchOfAHeavyOne) {
  for (const std::size_t workers : {1, 2}) {
    Workers leaf(workers);
    leaf.add(kLarge, 12'000, 50);
    leaf.run_until(300'000, {kLarge});
    leaf.add(kSmall, 100, 2);
    leaf.run_until(3'000'000, {kLarge, kSmall});
    EXPECT_LE(leaf.longest_wait_us(kSmall.id), 12'000 * 2);
    EXPECT_GE(leaf.longest_wait_us(kLarge.id), 12'000 * 49 / static_cast<std::int64_t>(workers));
  }
}

TEST(SearchQueue, SavesNothingForAClientThatAskedForNothing) {
  Workers leaf(1);
  leaf.add(kSmall, 1'000);
  leaf.run_until(1'000);
  leaf.add(kLarge, 1'000, 5'000);
  leaf.run_until(1'000'000);
  ASSERT_EQ(leaf.served_us(kSmall.id), 1'000);
  leaf.add(kSmall, 1'000, 5'000);
  const std::int64_t before = leaf.served_us(kLarge.id);
  leaf.run_until(1'100'000);
  EXPECT_NEAR(static_cast<double>(leaf.served_us(kLarge.id) - before), 50'000, 2'000) << "it is not made up for";
}

TEST(SearchQueue, ForgetsWhatAClientHadWhenNobodyElseWaited) {
  Workers leaf(1);
  leaf.add(kLarge, 10'000, 50);
  leaf.run_until(1'000'000);
  leaf.add(kLarge, 1'000, 100);
  leaf.add(kSmall, 1'000, 100);
  const std::int64_t before = leaf.served_us(kLarge.id);
  leaf.run_until(leaf.now_us() + 100'000);
  EXPECT_NEAR(static_cast<double>(leaf.served_us(kLarge.id) - before), 50'000, 12'000);
}

TEST(SearchQueue, FollowsAClientWhoseSearchesBecomeHeavy) {
  Workers leaf(1);
  leaf.add(kLarge, 100, 1000);
  leaf.add(kThird, 100, 1000);
  leaf.run_until(100'000);
  leaf.add(kThird, 100, 20'000);
  leaf.add(kLarge, 20'000, 100);  // what waits takes as long, too
  const std::int64_t large = leaf.served_us(kLarge.id), third = leaf.served_us(kThird.id);
  leaf.run_until(1'100'000);
  EXPECT_NEAR(static_cast<double>(leaf.served_us(kLarge.id) - large),
              static_cast<double>(leaf.served_us(kThird.id) - third), 60'000);
}

TEST(SearchQueue, KeepsTheOrderOfAClientsOwnSearches) {
  SearchQueue queue(ClientTimes::kUsualSecret);
  for (int i = 0; i < 100; ++i) queue.push(search_of(kLarge), Instant(microseconds(i)));
  for (int i = 0; i < 100; ++i) {
    const WaitingTask next = queue.pop();
    EXPECT_EQ(next.since, Instant(microseconds(i)));
    queue.ended(kLarge, next.charged_ns, i % 7 == 0 ? 1'000'000 : 10);
  }
  EXPECT_EQ(queue.clients(), 0u);
}

TEST(SearchQueue, TakesOutWhatIsLate) {
  SearchQueue queue(ClientTimes::kUsualSecret);
  for (int i = 0; i < 10; ++i) {
    const Deadline deadline = Deadline::at(Instant(microseconds(i % 2 == 0 ? 5 : 500)));
    queue.push(search_of(kLarge, i % 3 == 0 ? 1 << 20 : 0, deadline), Instant(microseconds(i)));
  }
  queue.push(search_of(kSmall, 0, Deadline::at(Instant(microseconds(5)))), Instant(microseconds(1)));
  EXPECT_EQ(queue.clients(), 2u);
  std::deque<WaitingTask> late;
  queue.take_late(Instant(microseconds(50)), late);
  EXPECT_EQ(late.size(), 6u);
  EXPECT_EQ(queue.size(), 5u);
  EXPECT_EQ(queue.clients(), 1u);
  std::vector<std::int64_t> left;
  while (queue.size() > 0) left.push_back(queue.pop().since.time_since_epoch() / microseconds(1));
  EXPECT_EQ(left, (std::vector<std::int64_t>{1, 5, 7, 3, 9}));  // the third and the ninth are heavy
}

// One worker. Heavy searches of weight 100, and light ones of weight 1 that come while the worker is busy, are of one
// place; a third client must not wait for them longer than if all had weight 1.
TEST(SearchQueue, StarvesNobodyBesideAPlaceOfTwoWeights) {
  const ClientTimes times(ClientTimes::kUsualSecret);
  const Client heavy{.id = 1, .weight = 100};
  Client light{.id = 2};
  while (times.place_of(light) != times.place_of(heavy)) ++light.id;
  const auto took_us = [&](const Client& client) { return client.id == heavy.id ? 100'000 : 1'000; };
  SearchQueue queue(ClientTimes::kUsualSecret);
  std::int64_t now_us = 0, light_comes_us = 0, longest_us = 0;
  const auto push = [&](const Client& client, std::int64_t us) {
    queue.push(search_of(client), Instant(microseconds(us)));
  };
  for (int i = 0; i < 50; ++i) push(heavy, 0);
  push(kThird, 0);
  int of_third = 0;
  while (now_us < 60'000'000) {
    const WaitingTask next = queue.pop();
    if (next.task.client.id == kThird.id) {
      ++of_third;
      const std::int64_t since_us = next.since.time_since_epoch() / microseconds(1);
      longest_us = std::max(longest_us, now_us - since_us);
    }
    now_us += took_us(next.task.client);
    if (light_comes_us <= now_us) {
      push(light, light_comes_us);
      light_comes_us = std::numeric_limits<std::int64_t>::max();
    }
    queue.ended(next.task.client, next.charged_ns, took_us(next.task.client) * 1000);
    if (next.task.client.id == light.id)
      light_comes_us = now_us + 2'000;
    else
      push(next.task.client.id == heavy.id ? heavy : kThird, now_us);
  }
  EXPECT_GT(of_third, 500);
  EXPECT_LT(longest_us, 1'000'000);
}

TEST(SearchQueue, TellsHowMuchComesBeforeASearch) {
  Workers leaf(1);
  leaf.add(kLarge, 10'000, 10);
  leaf.add(kSmall, 100, 10);
  leaf.run_until(1'000'000);
  leaf.add(kLarge, 10'000, 50);
  const double mean_ns = 5'000'000;
  EXPECT_NEAR(static_cast<double>(leaf.queue().before(search_of(kLarge), mean_ns)), 100, 1) << "alone, 10 ms each";
  EXPECT_EQ(leaf.queue().before(search_of(kSmall), mean_ns), 0u) << "its turn is next";
  leaf.add(kSmall, 100, 100);
  EXPECT_NEAR(static_cast<double>(leaf.queue().before(search_of(kSmall), mean_ns)), 4, 1) << "20 ms of both";
  EXPECT_NEAR(static_cast<double>(leaf.queue().before(search_of(kLarge), mean_ns)), 102, 1);
}

TEST(SearchQueue, CountsLightSearchesAsWhatTheyAreWhenHeavyOnesOfAnotherClientHaveEnded) {
  Workers leaf(1);
  leaf.add(kLarge, 10'000, 10);
  leaf.add(kSmall, 100, 10);
  leaf.run_until(1'000'000);
  leaf.add(kSmall, 100, 100);
  EXPECT_EQ(leaf.queue().before(search_of(kSmall), 5'000'000), 2u) << "10 ms, not 100 of the mean time";
  leaf.add(kThird, 100, 3);
  EXPECT_EQ(leaf.queue().before(search_of(kThird), 5'000'000), 3u) << "nothing is known of it";
}

}  // namespace
}  // namespace frond::leaf::schedule
