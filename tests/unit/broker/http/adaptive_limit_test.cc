#include "broker/http/admission/adaptive_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "broker/http/admission/admission.h"

namespace frond::broker::http {
namespace {
using std::chrono::duration;
using Seconds = duration<double>;

// Searches come at random to a queue that is answered in turn, in virtual time; those that cannot be in time are
// dropped when it is their turn. A search without a place waits for one, if it may.
class OneQueue {
 public:
  explicit OneQueue(std::size_t most, std::uint32_t seed = 1) : admission_({.all = most}), random_(seed) {}

  double capacity = 400;                                // answers a second
  double deadline = 1;                                  // seconds
  std::function<double()> apart = [] { return -1.0; };  // ≥ 0: this one does not queue, and takes so long
  bool many_clients = false;                            // each search is of another client
  struct Counts {
    std::size_t offered = 0, whole = 0, late = 0, refused = 0;
    std::vector<double> took;  // the whole ones
  };

  Counts offer(double rate, double seconds) {
    counts_ = {};
    std::exponential_distribution<double> gap(rate);
    const double end = now_ + seconds;
    for (double at = now_ + gap(random_); at < end; at += gap(random_)) {
      finish(at);
      now_ = at;
      ++counts_.offered;
      Admission::Kind kind;
      if (many_clients) std::memcpy(kind.client.data(), &++clients_, sizeof clients_);
      const Search search{kind, now_, 0, 0};
      const auto turn = admission_.wait(kind, [this, search] {
        std::erase_if(waiting_, [&](const auto& one) { return one.second.kind.client == search.kind.client; });
        begin(search);
      });
      if (!turn)
        begin(search);
      else if (*turn == Admission::kRefused)
        ++counts_.refused;
      else
        waiting_.emplace_back(*turn, search);
    }
    finish(end);
    now_ = end;
    return counts_;
  }
  std::size_t places() const { return admission_.taken().places; }

 private:
  struct Search {
    Admission::Kind kind;
    double came, begun;
    std::size_t places;  // taken when it began
  };
  void begin(Search search) {
    search.begun = now_;
    search.places = admission_.all();
    const double alone = apart(), latest = search.came + deadline;
    double over = now_ + alone;
    if (alone < 0) {
      const double start = std::max(now_, free_);
      over = start + 1 / capacity;
      if (over <= latest) free_ = over;
    }
    const bool late = over > latest;
    (late ? counts_.late : counts_.whole) += 1;
    if (!late) counts_.took.push_back(over - search.came);
    open_.emplace(std::min(over, latest), search);
  }
  // Those that wait leave at their deadlines; who came first first.
  void finish(double until) {
    while (true) {
      const double ends = open_.empty() ? until + 1 : open_.begin()->first;
      if (!waiting_.empty() && waiting_.front().second.came + deadline < std::min(ends, until)) {
        admission_.leave(waiting_.front().first);
        waiting_.erase(waiting_.begin());
        ++counts_.late;
      } else if (ends <= until) {
        now_ = ends;
        const Search ended = open_.begin()->second;
        open_.erase(open_.begin());
        admission_.end(ended.kind,
                       Admission::Ended{ended.places, (now_ - ended.begun) / deadline,
                                        Instant() + std::chrono::duration_cast<Instant::duration>(Seconds(now_))});
      } else {
        return;
      }
    }
  }

  Admission admission_;
  std::mt19937 random_;
  double now_ = 1, free_ = 0;
  std::uint64_t clients_ = 0;
  Counts counts_;
  std::multimap<double, Search> open_;  // by their ends
  std::vector<std::pair<Admission::Ticket, Search>> waiting_;
};

TEST(AdaptiveLimit, AnswersAsManyInTimeAtAnyRate) {
  for (const auto& [capacity, deadline] : {std::pair(20.0, 1.0), {400.0, 1.0}, {400.0, 0.1}, {3000.0, 1.0}, {9.0, 5.0}})
    for (const double times : {1.2, 2.0, 4.0, 10.0}) {
      OneQueue queue(512);
      queue.capacity = capacity, queue.deadline = deadline;
      queue.offer(capacity * times, 12 * deadline);
      const auto counts = queue.offer(capacity * times, 40 * deadline);
      const double answered = static_cast<double>(counts.whole) / (40 * deadline);
      EXPECT_GT(answered, 0.95 * capacity) << capacity << " a second in " << deadline << " s, x " << times;
      EXPECT_LT(counts.late, counts.whole / 50) << capacity << " a second in " << deadline << " s, x " << times;
    }
}
TEST(AdaptiveLimit, AnswersAsManyInTimeWhereEachSearchIsOfAnotherClient) {
  for (const double capacity : {20.0, 40.0, 118.0, 606.0})
    for (const double times : {1.2, 2.0, 10.0}) {
      OneQueue queue(512);
      queue.many_clients = true;
      queue.capacity = capacity;
      queue.offer(capacity * times, 12);
      auto counts = queue.offer(capacity * times, 60);
      EXPECT_GT(static_cast<double>(counts.whole) / 60, 0.93 * capacity) << capacity << " a second, x " << times;
      EXPECT_LT(counts.late, counts.whole / 20) << capacity << " a second, x " << times;
      std::ranges::nth_element(counts.took, counts.took.begin() + static_cast<std::ptrdiff_t>(counts.took.size() / 2));
      EXPECT_LT(counts.took[counts.took.size() / 2], 0.6) << capacity << " a second, x " << times;
    }
}
TEST(AdaptiveLimit, IsFoundInTheFirstSeconds) {
  OneQueue queue(512);
  EXPECT_EQ(queue.places(), 128u);
  EXPECT_GT(queue.offer(4000, 1).whole, 380u);
  EXPECT_GT(queue.offer(4000, 2).whole, 700u);
  OneQueue steady(512);
  steady.offer(200, 30);
  EXPECT_EQ(steady.places(), 512u) << "nothing is slow";
  EXPECT_GT(steady.offer(4000, 3).whole, 1080u) << "the flood comes later";
  EXPECT_GT(steady.offer(4000, 2).whole, 760u);
}
TEST(AdaptiveLimit, GrowsAgain) {
  OneQueue queue(512);
  queue.capacity = 20;
  queue.offer(400, 20);
  EXPECT_LT(queue.places(), 20u);
  queue.capacity = 4000;
  queue.offer(1000, 3);
  EXPECT_GT(queue.places(), 256u);
  EXPECT_EQ(queue.offer(1000, 5).refused, 0u);
}
TEST(AdaptiveLimit, DoesNotLowerWhatLowerDoesNotHelp) {
  for (const double share : {1.0, 0.8, 0.4})
    for (const double used : {0.6, 0.8, 2.0}) {
      OneQueue queue(512);
      std::mt19937 random(3);
      queue.apart = [&, chance = std::bernoulli_distribution(share)]() mutable {
        return chance(random) ? used : 0.005;
      };
      const auto counts = queue.offer(100, 300);
      EXPECT_LT(static_cast<double>(counts.refused) / static_cast<double>(counts.offered), 0.2)
          << queue.places() << " " << share << " of the searches take " << used << " of their time alone";
    }
}
TEST(AdaptiveLimit, GrowsWhereMorePlacesDoNotMakeItSlower) {
  // After an overload searches are slow alone; and from the start more than the first 128 places are needed.
  for (const double used : {0.42, 0.45, 0.6, 0.8}) {
    OneQueue queue(512);
    queue.capacity = 20;
    queue.offer(400, 30);
    EXPECT_LT(queue.places(), 20u);
    queue.apart = [&] { return used; };
    queue.offer(100, 60);
    auto counts = queue.offer(100, 200);
    EXPECT_LT(counts.refused, counts.offered / 10) << queue.places() << ", used " << used;
    OneQueue fresh(512);
    fresh.apart = queue.apart;
    const double rate = 200 / used;
    fresh.offer(rate, 40);
    counts = fresh.offer(rate, 200);
    EXPECT_LT(counts.refused, counts.offered / 5) << fresh.places() << ", used " << used;
  }
}
TEST(AdaptiveLimit, FollowsACapacityThatFalls) {
  for (const double rate : {400.0, 1000.0}) {
    OneQueue queue(512);
    queue.offer(rate, 60);
    queue.capacity = 130;
    queue.offer(rate, 5);
    const auto counts = queue.offer(rate, 60);
    EXPECT_GT(counts.whole, 0.85 * 60 * 130) << queue.places();
    EXPECT_LT(counts.late, counts.whole / 10) << queue.places();
  }
}
TEST(AdaptiveLimit, CountsSearchesThatNeedNoPlaceInTheQueue) {
  OneQueue queue(512);
  std::mt19937 random(3);
  queue.apart = [&, chance = std::bernoulli_distribution(0.8)]() mutable { return chance(random) ? 0.001 : -1; };
  const auto counts = queue.offer(1600, 20);
  EXPECT_EQ(counts.refused, 0u);
}

TEST(Admission, HasFewerPlacesForLinesAndCostlySearchesWhileThereAreFewerForAll) {
  Admission admission({.all = 512, .batch = 128, .costly = 16});
  Instant now;
  for (int i = 0; i < 2000; ++i) {
    const Admission::Taken taken = admission.taken();
    now += std::chrono::milliseconds(10);
    ASSERT_TRUE(admission.try_begin({}));
    admission.end({}, Admission::Ended{taken.places, static_cast<double>(taken.places) / 16, now});
  }
  const std::size_t places = admission.taken().places;
  EXPECT_NEAR(static_cast<double>(places), 7, 1);
  const auto fill = [&](Admission::Kind kind) {
    std::size_t count = 0;
    while (admission.try_begin(kind)) ++count;
    for (std::size_t i = 0; i < count; ++i) admission.end(kind);
    return count;
  };
  EXPECT_EQ(fill({.batch = true}), places / 4);
  EXPECT_EQ(fill({.costly = true, .client = {}}), places / 2);
}
TEST(Admission, ForgetsAfterASilenceHowFewPlacesThereWere) {
  Admission admission({.all = 512});
  Instant now;
  for (int i = 0; i < 500; ++i) {
    now += std::chrono::milliseconds(10);
    ASSERT_TRUE(admission.try_begin({}, now));
    admission.end({}, Admission::Ended{admission.taken().places, 1, now});
  }
  ASSERT_EQ(admission.taken().places, 2u);
  ASSERT_TRUE(admission.try_begin({}, now + std::chrono::milliseconds(4900)));
  EXPECT_EQ(admission.taken().places, 2u);
  EXPECT_TRUE(admission.try_begin({}, now + std::chrono::seconds(60))) << "one is evaluated still: no silence";
  EXPECT_FALSE(admission.try_begin({}, now + std::chrono::seconds(60)));
  admission.end({});
  admission.end({});
  EXPECT_TRUE(admission.try_begin({}, now + std::chrono::seconds(60)));
  EXPECT_EQ(admission.taken().places, 128u);
  admission.end({});
}
TEST(Admission, LeavesAPlaceBesideCostlySearchesWhichTellThatThereIsRoom) {
  Admission admission({.all = 512});
  Instant now;
  for (int i = 0; i < 500; ++i) {
    now += std::chrono::milliseconds(10);
    ASSERT_TRUE(admission.try_begin({}));
    admission.end({}, Admission::Ended{admission.taken().places, 1, now});
  }
  ASSERT_EQ(admission.taken().places, 2u);
  const Admission::Kind costly{.costly = true, .client = {}};
  ASSERT_TRUE(admission.try_begin(costly));
  EXPECT_FALSE(admission.try_begin(costly));
  EXPECT_TRUE(admission.try_begin({}));
  admission.end({});
  for (int i = 0; i < 1000; ++i) {
    now += std::chrono::milliseconds(10);
    admission.end(costly, Admission::Ended{1, 0.1, now});
    ASSERT_TRUE(admission.try_begin(costly));
  }
  EXPECT_GT(admission.taken().places, 128u);
  admission.end(costly);
}
}  // namespace
}  // namespace frond::broker::http
