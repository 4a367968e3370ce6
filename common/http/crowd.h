#pragma once
// All connections of a server together: who is let in, who gives way, and whose time is over. Each of these costs the
// same however many connections there are. Internal to this folder. Io thread.
#include <chrono>
#include <cstdint>
#include <memory>

#include <boost/asio/ip/tcp.hpp>

#include "common/http/server_core.h"

namespace frond::http {

// Starts a connection: as any other, or, where there are too many, restricted to what is reserved.
void let_in(const std::shared_ptr<ServerCore>& core, boost::asio::ip::tcp::socket socket);

// Closes the connection that has waited longest: of those that have not said yet what they want, else of the idle ones,
// else of those whose body is on its way in. False: nobody has waited for a second.
bool make_room(const ServerCore& core);

// Looks at the connections whose time is over. To be called each second.
void sweep(const ServerCore& core);

// How many bytes a client owes after `time`.
inline std::uint64_t bytes_due(std::size_t bytes_a_second, std::chrono::steady_clock::duration time) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes_a_second) * std::chrono::duration<double>(time).count());
}

}  // namespace frond::http
