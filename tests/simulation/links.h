#pragma once
// Connections between a broker and its leaves in virtual time, as TCP makes them: frames arrive whole and in order, or
// not at all; what is lost on the way comes later, with all that follows it; a cut direction is noticed by the side
// that hears nothing for as long as heartbeats allow. Different connections overtake each other.
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/cluster/leaf_socket.h"
#include "tests/simulation/run.h"

namespace frond::simulation {

enum Direction : std::size_t { kToLeaf, kToBroker };

// One connection, from both ends.
struct Wire {
  std::size_t leaf = 0;
  std::string peer;                         // the broker's end, for the leaf
  std::uint64_t life = 0;                   // of the leaf's process at its other end
  bool at_broker = false, at_leaf = false;  // open there
  std::weak_ptr<broker::cluster::LeafConnection::Receiver> receiver;
  std::function<void(std::function<void()>)> on_thread;  // runs an action on the broker's thread
  std::function<void()> ended;                           // at the broker: connect again
  std::array<Instant, 2> last{};                         // arrival of the last frame
  std::array<std::deque<std::optional<ByteBuffer>>, 2> held;
};
using WireRef = std::shared_ptr<Wire>;

// A leaf's process, as its connections see it.
class LeafEnd {
 public:
  virtual ~LeafEnd() = default;
  virtual bool accepts() const = 0;        // it answers a handshake
  virtual std::uint64_t life() const = 0;  // of the process that runs
  virtual void arrived(const WireRef& wire, ByteBuffer frame) = 0;
  virtual void gone(const WireRef& wire) = 0;
};

class Network {
 public:
  explicit Network(Run& run) : run_(run) {}

  static std::string endpoint_of(std::size_t leaf) { return "tcp://leaf:" + std::to_string(leaf + 1); }
  std::size_t add(LeafEnd& leaf) {
    paths_.push_back({&leaf, {}, {}});
    return paths_.size() - 1;
  }
  // For the broker's client of a leaf. `on_thread` runs actions on the thread that the client is used on.
  std::unique_ptr<broker::cluster::LeafConnection> connection(const std::string& endpoint, const std::string& name,
                                                              std::function<void(std::function<void()>)> on_thread);

  // The faults. A direction that is cut is healed by cut(…, false).
  void cut(std::size_t leaf, Direction direction, bool cut);
  bool is_cut(std::size_t leaf, Direction direction) const { return paths_[leaf].cut[direction]; }
  void lose_connections(std::size_t leaf);  // both ends hear of it
  // The process at the leaf's end died: with its machine, then nothing is said.
  void leaf_died(std::size_t leaf, bool with_machine);
  void leaf_stopped(std::size_t leaf);  // it answers no heartbeats from now on
  void broker_died();
  void delay(microseconds most) { most_delay_ = most; }

  // From the leaf's end.
  void answer(const WireRef& wire, ByteBuffer frame) {
    if (wire->at_leaf) transmit(wire, kToBroker, std::move(frame));
  }
  // From the broker's end.
  WireRef connect(std::size_t leaf);
  void transmit(const WireRef& wire, Direction direction, std::optional<ByteBuffer> frame);
  void close_at_broker(const WireRef& wire);
  Run& run() { return run_; }

 private:
  struct Path {
    LeafEnd* leaf;
    std::array<bool, 2> cut{};
    std::array<std::uint64_t, 2> changes{};  // of `cut`
    std::vector<std::weak_ptr<Wire>> wires{};
  };
  void arrive(const WireRef& wire, Direction direction, std::optional<ByteBuffer> frame);
  void hand_over(const WireRef& wire, Direction direction, std::optional<ByteBuffer> frame);
  void close_at_leaf(const WireRef& wire);
  void lost_at_broker(const WireRef& wire);
  std::vector<WireRef> wires(std::size_t leaf);

  Run& run_;
  std::vector<Path> paths_;
  microseconds most_delay_{800};
  std::uint64_t connections_ = 0;
};

}  // namespace frond::simulation
