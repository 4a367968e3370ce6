// IoPulse with an I/O thread of ZeroMQ that works and with one that hangs.
#include "common/wire/io_pulse.h"

#include <gtest/gtest.h>
#include <zmq.hpp>

#include <thread>
#include <vector>

#include "common/base/liveness.h"

namespace frond::wire {
namespace {

using std::chrono::milliseconds;

const SteadyClock kClock;

// Steps until `done`, at most 20 s.
template <class Done>
bool step_until(IoPulse& pulse, Done done) {
  const Instant end = kClock.now() + std::chrono::seconds(20);
  while (!done() && kClock.now() < end) {
    pulse.step();
    std::this_thread::sleep_for(milliseconds(1));
  }
  return done();
}

// Makes the context's I/O thread wait for ever, by events for a monitor that nothing reads. Call context.shutdown()
// before its destructor runs.
class HungThread {
 public:
  explicit HungThread(zmq::context_t& context)
      : socket_(context, zmq::socket_type::dealer), reader_(context, zmq::socket_type::pair) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::reconnect_ivl, 1);
    EXPECT_EQ(zmq_socket_monitor(socket_.handle(), "inproc://told", ZMQ_EVENT_CLOSED), 0);
    reader_.connect("inproc://told");
    socket_.connect("ipc://@frond-nobody-listens-here");  // refused at once, again and again
    zmq::message_t told;
    EXPECT_TRUE(reader_.recv(told));
    reader_.close();
  }

 private:
  zmq::socket_t socket_, reader_;
};

TEST(IoPulse, SeesTheThreadTurn) {
  zmq::context_t context{1};
  IoPulse pulse(context, 0, kClock);
  for (int i = 0; i < 3; ++i) {
    const Instant before = kClock.now();
    ASSERT_TRUE(step_until(pulse, [&] { return pulse.turned() > before; }));
  }
}
TEST(IoPulse, SeesThatTheThreadHangs) {
  zmq::context_t context{1};
  {
    IoPulse pulse(context, 0, kClock);
    const Instant start = kClock.now();
    ASSERT_TRUE(step_until(pulse, [&] { return pulse.turned() > start; }));
    const HungThread hung(context);
    EXPECT_TRUE(step_until(pulse, [&] { return kClock.now() > pulse.turned() + milliseconds(1000); }));
    const Instant last = pulse.turned();
    step_until(pulse, [&] { return kClock.now() > last + milliseconds(2000); });
    EXPECT_EQ(pulse.turned(), last) << "for good";
    context.shutdown();
  }
}
TEST(IoPulse, CountsNobodyElsesMessages) {
  zmq::context_t context{1};
  std::vector<std::unique_ptr<IoPulse>> pulses;  // random names keep their messages apart
  pulses.reserve(10);
  for (int i = 0; i < 10; ++i) pulses.push_back(std::make_unique<IoPulse>(context, 0, kClock));
  for (const auto& pulse : pulses) {
    const Instant before = kClock.now();
    EXPECT_TRUE(step_until(*pulse, [&] { return pulse->turned() > before; }));
  }
}
TEST(Liveness, NamesTheLoopThatDoesNotTurn) {
  const Instant now = kClock.now();
  const Loop loops[] = {{"zeromq", now - std::chrono::seconds(1)}, {"socket", now - std::chrono::seconds(17)}};
  EXPECT_EQ(stalled(loops, now, std::chrono::seconds(20)), "");
  EXPECT_EQ(stalled(loops, now, std::chrono::seconds(15)), "the loop 'socket' has not turned for 17 s");
  EXPECT_EQ(stalled({}, now, std::chrono::seconds(15)), "");
}

}  // namespace
}  // namespace frond::wire
