// What ZeroMQ's one I/O thread must never wait for.
#include "broker/cluster/connection_monitor.h"

#include <gtest/gtest.h>
#include <zmq.hpp>

#include <thread>

#include "common/wire/io_pulse.h"

namespace frond::broker::cluster {
namespace {
using std::chrono::milliseconds;

const SteadyClock kClock;

// Whether the I/O thread turns once more, within 20 s.
bool turns(wire::IoPulse& pulse) {
  const Instant before = kClock.now();
  while (pulse.turned() <= before && kClock.now() < before + std::chrono::seconds(20)) {
    pulse.step();
    std::this_thread::sleep_for(milliseconds(1));
  }
  return pulse.turned() > before;
}

struct Watched {
  Watched() : socket(context, zmq::socket_type::dealer) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::reconnect_ivl, 1);
  }
  // Refused at once, again and again: thousands of events a second together.
  void connect_in_vain() {
    for (int i = 0; i < 20; ++i) socket.connect("ipc://@frond-nobody-listens-here-" + std::to_string(i));
  }

  zmq::context_t context{1};
  wire::IoPulse pulse{context, 0, kClock};
  zmq::socket_t socket;
  HandshakeFailures failures;
};

TEST(ConnectionMonitor, NeverMakesTheIoThreadWaitForItsReader) {
  Watched watched;
  ConnectionMonitor monitor(watched.context, watched.socket, 1, false, watched.failures);
  watched.connect_in_vain();
  std::this_thread::sleep_for(milliseconds(2000));  // for more than the 2,000 events of ZeroMQ's own limits
  EXPECT_TRUE(turns(watched.pulse));
  monitor.take();
  EXPECT_FALSE(monitor.why().empty());
  watched.context.shutdown();
}
TEST(ConnectionMonitor, LeavesTheIoThreadToItselfOnceItIsClosed) {
  Watched watched;
  ConnectionMonitor monitor(watched.context, watched.socket, 1, false, watched.failures);
  watched.connect_in_vain();
  monitor.close();
  monitor.close();
  EXPECT_TRUE(turns(watched.pulse));
  EXPECT_TRUE(turns(watched.pulse));
  watched.context.shutdown();
}
}  // namespace
}  // namespace frond::broker::cluster
