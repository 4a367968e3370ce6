#include "common/wire/io_pulse.h"

#include <cstdio>
#include <random>
#include <string>

#include <zmq.hpp>

namespace frond::wire {
namespace {

constexpr int kQueued = 4;                // messages each way: a hanging thread takes none
constexpr int kTaken = 16;                // messages received in one step, whatever their source
constexpr std::int64_t kMaxBytes = 1024;  // the handshake has some 50

std::uint64_t random_number() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

IoPulse::IoPulse(zmq::context_t& context, unsigned number, const Clock& clock)
    : clock_(clock),
      in_(std::make_unique<zmq::socket_t>(context, zmq::socket_type::pull)),
      out_(std::make_unique<zmq::socket_t>(context, zmq::socket_type::push)),
      secret_(random_number()),
      turned_(clock.now().time_since_epoch().count()) {
  char address[64];
  std::snprintf(address, sizeof address, "ipc://@frond-pulse-%016lx%016lx", random_number(), random_number());
  for (zmq::socket_t* const socket : {in_.get(), out_.get()}) {
    socket->set(zmq::sockopt::linger, 0);
    socket->set(zmq::sockopt::sndhwm, kQueued);
    socket->set(zmq::sockopt::rcvhwm, kQueued);
    socket->set(zmq::sockopt::maxmsgsize, kMaxBytes);
    socket->set(zmq::sockopt::affinity, std::uint64_t{1} << number);
  }
  in_->bind(address);
  out_->connect(address);
}

IoPulse::~IoPulse() = default;

void IoPulse::step() {
  try {
    zmq::message_t message;
    for (int i = 0; i < kTaken && in_->recv(message, zmq::recv_flags::dontwait); ++i)
      if (message.size() == sizeof secret_ && *message.data<std::uint64_t>() == secret_)
        turned_.store(clock_.now().time_since_epoch().count(), std::memory_order_relaxed);
    (void)out_->send(zmq::const_buffer(&secret_, sizeof secret_), zmq::send_flags::dontwait);
  } catch (const zmq::error_t&) {  // interrupted, or the context has ended: the next step tries again
  }
}

}  // namespace frond::wire
