#pragma once
// Rules over all connections of a server: which are accepted, which are closed to make room, and which have run out of
// time. None of them costs more with more connections. Internal to this folder. Io thread.
#include <chrono>
#include <cstdint>
#include <memory>

#include <boost/asio/ip/tcp.hpp>

#include "common/http/server_core.h"

namespace frond::http {

// Starts a connection; restricted to reserved routes if there are too many.
void let_in(const std::shared_ptr<ServerCore>& core, boost::asio::ip::tcp::socket socket);

// Closes the connection that has waited longest: of those without a whole request header yet, else of the idle ones,
// else of those that are sending a body. False: none has waited for a second.
bool make_room(const ServerCore& core);

// Expires the connections whose time limit has passed. To be called each second.
void sweep(const ServerCore& core);

// The bytes that a client must have moved in `time`.
inline std::uint64_t bytes_due(std::size_t bytes_a_second, std::chrono::steady_clock::duration time) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes_a_second) * std::chrono::duration<double>(time).count());
}

}  // namespace frond::http
