#include "common/http/server/client_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <new>
#include <string>

namespace frond::http {
namespace {

constexpr std::size_t kMiB = 1 << 20;
constexpr ClientId kOne{1}, kOther{2}, kThird{3};

// A piece of work that runs until it is let go.
class Held {
 public:
  std::function<void()> work() {
    return [this] {
      begun_.set_value();
      go_.get_future().wait();
    };
  }
  void await_begun() { begun_.get_future().wait(); }
  void let_go() { go_.set_value(); }

 private:
  std::promise<void> begun_, go_;
};

// The order in which pieces of work ran.
class Order {
 public:
  std::function<void()> work(char name) {
    return [this, name] {
      const MutexLock lock(mutex_);
      order_ += name;
    };
  }
  std::string get() {
    const MutexLock lock(mutex_);
    return order_;
  }

 private:
  Mutex mutex_;
  std::string order_;
};

TEST(ClientTurns, GoOnBehindWorkThatMemoryWasTooShortFor) {
  Order order;
  ClientTurns turns("turns", 1, kMiB);
  turns.add(kOne, 2 * ClientTurns::kLittle, [] { throw std::bad_alloc(); });
  turns.add(kOne, kMiB, order.work('a'));
  turns.join();
  EXPECT_EQ(order.get(), "a");
}

TEST(ClientTurns, GiveEachClientOnePieceOfWorkAfterTheOther) {
  Held first;
  Order order;
  ClientTurns turns("turns", 1, kMiB);
  turns.add(kOne, 0, first.work());
  first.await_begun();
  for (int i = 0; i < 5; ++i) turns.add(kOne, 0, order.work('a'));
  for (int i = 0; i < 2; ++i) turns.add(kOther, 0, order.work('b'));
  turns.add(kThird, 0, order.work('c'));
  first.let_go();
  turns.join();
  EXPECT_EQ(order.get(), "abcabaaa");
}

TEST(ClientTurns, KeepAThreadForOthers) {
  Held first, second, third, other;
  ClientTurns turns("turns", 3, kMiB);
  std::atomic<bool> third_ran = false;
  turns.add(kOne, 0, first.work());
  turns.add(kOne, 0, second.work());
  turns.add(kOne, 0, [&] { third_ran = true; });
  first.await_begun();
  second.await_begun();
  turns.add(kOther, 0, other.work());
  other.await_begun();
  EXPECT_FALSE(third_ran);
  for (Held* const one : {&first, &second, &other}) one->let_go();
  turns.join();
  EXPECT_TRUE(third_ran);
}

TEST(ClientTurns, WaitForRoomWhileWorkThatHoldsLittleGoesOn) {
  Held large;
  Order order;
  ClientTurns turns("turns", 4, 10 * kMiB);
  turns.add(kOne, 20 * kMiB, large.work());  // more than there may be: alone it may
  large.await_begun();
  turns.add(kOther, 6 * kMiB, order.work('L'));
  std::promise<void> little;
  turns.add(kThird, ClientTurns::kLittle, [&] {
    order.work('l')();
    little.set_value();
  });
  little.get_future().wait();
  EXPECT_EQ(order.get(), "l");
  large.let_go();
  turns.join();
  EXPECT_EQ(order.get(), "lL");
}

TEST(ClientTurns, DoAllWorkBeforeTheyEnd) {
  std::atomic<int> done = 0;
  {
    ClientTurns turns("turns", 4, kMiB);
    for (int i = 0; i < 500; ++i)
      turns.add(i % 3 == 0 ? kOne : kOther, static_cast<std::size_t>(i) * 2000, [&] { ++done; });
  }
  EXPECT_EQ(done, 500);
}

}  // namespace
}  // namespace frond::http
