#include "tests/simulation/links.h"

#include <algorithm>
#include <utility>

#include "common/wire/router_socket.h"

namespace frond::simulation {
namespace {

using broker::cluster::LeafConnection;

constexpr microseconds kLeastDelay{40};
constexpr milliseconds kSentAgain{200};  // what was lost is sent again after so long
constexpr microseconds kSilence = wire::kHeartbeatInterval + wire::kHeartbeatTimeout;
constexpr unsigned kMaxSilentHellos = 3;
constexpr milliseconds kFirstWait{100}, kLongestWait{1000};

// The broker's end, which connects again as LeafSocket does.
class Link final : public LeafConnection, public std::enable_shared_from_this<Link> {
 public:
  Link(Network& network, std::size_t leaf, std::string name, std::function<void(std::function<void()>)> on_thread)
      : network_(network), leaf_(leaf), name_(std::move(name)), on_thread_(std::move(on_thread)) {}

  void open(std::weak_ptr<Receiver> receiver) override {
    receiver_ = std::move(receiver);
    connect_after(microseconds(0));
  }
  void close() override {
    closed_ = true;
    drop();
  }
  bool send(ByteView frame) override {
    if (!wire_) return false;
    network_.transmit(wire_, kToLeaf, ByteBuffer(frame.begin(), frame.end()));
    return true;
  }
  void look_after() override {
    if (!wire_ || silent_hellos_ < kMaxSilentHellos) return;
    drop();
    connect_after(microseconds(0));
    network_.run().after(microseconds(0), [receiver = receiver_, on_thread = on_thread_] {
      on_thread([&] {
        if (const auto alive = receiver.lock()) alive->on_lost();
      });
    });
  }
  void count_silent_hello() override { ++silent_hellos_; }
  std::string why_not_connected() const override { return "not connected: nothing answers"; }
  bool looking_up() const override { return false; }

 private:
  void drop() {
    if (const auto wire = std::exchange(wire_, nullptr)) network_.close_at_broker(wire);
    silent_hellos_ = 0;
  }
  void connect_after(microseconds wait) {
    network_.run().after(wait, [this, held = receiver_] {
      const auto alive = held.lock();
      if (!alive || closed_ || wire_) return;
      wire_ = network_.connect(leaf_);
      if (!wire_) {
        wait_ = std::min<microseconds>(2 * wait_, kLongestWait);
        return connect_after(wait_);
      }
      wait_ = kFirstWait;
      wire_->receiver = receiver_;
      wire_->on_thread = on_thread_;
      wire_->peer = name_ + "#" + wire_->peer;
      wire_->ended = [this, held] {
        const auto still = held.lock();
        if (!still || closed_) return;
        wire_.reset();
        connect_after(wait_);
      };
    });
  }

  Network& network_;
  const std::size_t leaf_;
  const std::string name_;
  const std::function<void(std::function<void()>)> on_thread_;
  std::weak_ptr<Receiver> receiver_;
  WireRef wire_;  // null: not connected
  microseconds wait_ = kFirstWait;
  unsigned silent_hellos_ = 0;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<LeafConnection> Network::connection(const std::string& endpoint, const std::string& name,
                                                    std::function<void(std::function<void()>)> on_thread) {
  const std::size_t port = std::stoul(endpoint.substr(endpoint.rfind(':') + 1));
  return std::make_unique<Link>(*this, port - 1, name, std::move(on_thread));
}

WireRef Network::connect(std::size_t leaf) {
  Path& path = paths_[leaf];
  if (path.cut[kToLeaf] || path.cut[kToBroker] || !path.leaf->accepts()) return nullptr;
  auto made = std::make_shared<Wire>();
  made->leaf = leaf;
  made->peer = std::to_string(++connections_);
  made->life = path.leaf->life();
  made->at_broker = made->at_leaf = true;
  std::erase_if(path.wires, [](const auto& one) { return one.expired(); });
  path.wires.push_back(made);
  return made;
}

std::vector<WireRef> Network::wires(std::size_t leaf) {
  std::vector<WireRef> all;
  for (const auto& one : paths_[leaf].wires)
    if (auto alive = one.lock()) all.push_back(std::move(alive));
  return all;
}

void Network::transmit(const WireRef& wire, Direction direction, std::optional<ByteBuffer> frame) {
  const microseconds delay = run_.random.one_in(50) ? run_.random.time(kLeastDelay, 20 * most_delay_)
                                                    : run_.random.time(kLeastDelay, most_delay_);
  const Instant arrival = std::max(run_.now() + delay, wire->last[direction]);
  wire->last[direction] = arrival;
  run_.events.at(arrival, [this, wire, direction, frame = std::move(frame)]() mutable {
    arrive(wire, direction, std::move(frame));
  });
}

void Network::arrive(const WireRef& wire, Direction direction, std::optional<ByteBuffer> frame) {
  if (paths_[wire->leaf].cut[direction] || !wire->held[direction].empty())
    wire->held[direction].push_back(std::move(frame));
  else
    hand_over(wire, direction, std::move(frame));
}

void Network::hand_over(const WireRef& wire, Direction direction, std::optional<ByteBuffer> frame) {
  if (direction == kToLeaf) {
    LeafEnd& leaf = *paths_[wire->leaf].leaf;
    if (!frame) return close_at_leaf(wire);
    if (wire->at_leaf && wire->life == leaf.life()) leaf.arrived(wire, std::move(*frame));
    // The machine is up again, and does not know the connection.
    if (wire->life != leaf.life() && leaf.accepts()) transmit(wire, kToBroker, std::nullopt);
    return;
  }
  if (!frame) return lost_at_broker(wire);
  if (!wire->at_broker) return;
  wire->on_thread([&] {
    if (const auto receiver = wire->receiver.lock()) receiver->on_frame(*frame);
  });
}

void Network::close_at_leaf(const WireRef& wire) {
  if (!std::exchange(wire->at_leaf, false)) return;
  LeafEnd& leaf = *paths_[wire->leaf].leaf;
  if (wire->life == leaf.life()) leaf.gone(wire);
}

// The leaf's end is told, if it can be.
void Network::lost_at_broker(const WireRef& wire) {
  if (!std::exchange(wire->at_broker, false)) return;
  transmit(wire, kToLeaf, std::nullopt);
  wire->on_thread([&] {
    const auto receiver = wire->receiver.lock();
    if (const auto ended = std::exchange(wire->ended, nullptr)) ended();
    if (receiver) receiver->on_lost();
  });
}

void Network::close_at_broker(const WireRef& wire) {
  wire->ended = nullptr;
  if (std::exchange(wire->at_broker, false)) transmit(wire, kToLeaf, std::nullopt);
}

void Network::cut(std::size_t leaf, Direction direction, bool cut) {
  Path& path = paths_[leaf];
  if (std::exchange(path.cut[direction], cut) == cut) return;
  const std::uint64_t change = ++path.changes[direction];
  if (cut) {
    run_.after(kSilence, [this, leaf, direction, change] {
      if (paths_[leaf].changes[direction] != change) return;
      for (const WireRef& wire : wires(leaf)) direction == kToBroker ? lost_at_broker(wire) : close_at_leaf(wire);
    });
    return;
  }
  run_.after(kSentAgain, [this, leaf, direction, change] {
    if (paths_[leaf].changes[direction] != change) return;
    for (const WireRef& wire : wires(leaf))
      for (auto& frame : std::exchange(wire->held[direction], {})) hand_over(wire, direction, std::move(frame));
  });
}

void Network::lose_connections(std::size_t leaf) {
  for (const WireRef& wire : wires(leaf)) {
    lost_at_broker(wire);
    close_at_leaf(wire);
  }
}

void Network::leaf_died(std::size_t leaf, bool with_machine) {
  for (const WireRef& wire : wires(leaf)) {
    wire->at_leaf = false;
    if (!with_machine) {
      transmit(wire, kToBroker, std::nullopt);
      continue;
    }
    run_.after(kSilence, [this, wire] { lost_at_broker(wire); });
  }
}

void Network::leaf_stopped(std::size_t leaf) {
  run_.after(kSilence, [this, leaf] {
    if (paths_[leaf].leaf->accepts()) return;
    for (const WireRef& wire : wires(leaf)) lost_at_broker(wire);
  });
}

void Network::broker_died() {
  for (std::size_t leaf = 0; leaf < paths_.size(); ++leaf)
    for (const WireRef& wire : wires(leaf)) close_at_broker(wire);
}

}  // namespace frond::simulation
