#pragma once
// Sockets that are files of this machine: "unix:PATH" for HTTP, "ipc://PATH" as ZeroMQ writes it. Who may open the file
// may connect, so its folder says who that is. Any thread.
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "common/base/result.h"
#include "common/net/address.h"

namespace frond::net {

inline constexpr std::string_view kUnixScheme = "unix:", kIpcScheme = "ipc://";

bool is_local(std::string_view address);  // whether it begins with one of them

// The path in it: 1 to 107 bytes, none of them 0; a relative one is the process's. kInvalid quotes the text.
Result<std::string> parse_local_address(std::string_view address);

// What a leaf's address may be, "tcp://HOST:PORT" or "ipc://PATH", and where HTTP may be served, "HOST:PORT" or
// "unix:PATH". kInvalid quotes the text.
Result<void> expect_leaf_endpoint(std::string_view address);
Result<void> expect_listen_address(std::string_view address);
// Where an HTTP server is: as parse_url(), or "unix:PATH", which becomes the URL's host. kInvalid.
Result<Url> parse_server(std::string_view address);

// Sockets of either kind, and where they listen or connect.
using Socket = boost::asio::generic::stream_protocol::socket;
using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;
using Endpoint = boost::asio::generic::stream_protocol::endpoint;
// REQUIRES: parse_local_address() takes the path.
Endpoint local_endpoint(const std::string& path);
// Opens an acceptor that is to be bound to `endpoint`. What a process that is gone has left at the path of a local
// endpoint is removed; a file of another kind, or one where somebody listens, stays.
void open(Acceptor& acceptor, const Endpoint& endpoint, boost::system::error_code& failed);
// The file that bind() made at a local endpoint's path.
class SocketFile {
 public:
  SocketFile() = default;
  // To be called after bind().
  explicit SocketFile(std::string path);
  // Once. If another process has the path by now, its file stays. To be called while the socket is open still: where
  // nobody listens, the next one to come takes the path.
  void remove();

 private:
  std::string path_;  // empty: there is none
  std::uint64_t device_ = 0, number_ = 0;
};
// The port of a TCP endpoint; 0 of a local one.
std::uint16_t port_of(const Endpoint& endpoint);
// The address of a TCP endpoint; of a local one that of the loopback device, so all local clients are one.
boost::asio::ip::address address_of(const Endpoint& endpoint);

}  // namespace frond::net
