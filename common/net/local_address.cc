#include "common/net/local_address.h"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace frond::net {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
namespace {

constexpr std::size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;

bool is_of_files(const Endpoint& endpoint) { return endpoint.protocol().family() == AF_UNIX; }

tcp::endpoint tcp_endpoint(const Endpoint& endpoint) {
  tcp::endpoint made;
  if (is_of_files(endpoint) || endpoint.size() > made.capacity()) return made;
  std::memcpy(made.data(), endpoint.data(), endpoint.size());
  made.resize(endpoint.size());
  return made;
}

template <class T>
Result<void> outcome_of(const Result<T>& parsed) {
  return parsed ? Result<void>() : Result<void>(parsed.error());
}

// Whether a socket is at the path to which nobody listens.
bool is_abandoned(const Endpoint& endpoint, const char* path) {
  struct stat found {};
  if (::lstat(path, &found) != 0 || !S_ISSOCK(found.st_mode)) return false;
  asio::io_context io;
  Socket probe(io);
  error_code failed;
  probe.connect(endpoint, failed);
  return failed == asio::error::connection_refused;
}

}  // namespace

bool is_local(std::string_view address) { return address.starts_with(kUnixScheme) || address.starts_with(kIpcScheme); }

Result<std::string> parse_local_address(std::string_view address) {
  const auto refuse = [&](const std::string& why) {
    return Error(Code::kInvalid, "'" + std::string(address) + "' is not unix:PATH or ipc://PATH: " + why);
  };
  if (!is_local(address)) return refuse("it begins with neither");
  const auto path = address.substr((address.starts_with(kUnixScheme) ? kUnixScheme : kIpcScheme).size());
  if (path.empty()) return refuse("there is no path");
  if (path.size() > kMaxPathBytes) return refuse("a socket's path has at most 107 bytes");
  if (path.find('\0') != std::string_view::npos) return refuse("the path has a byte of 0");
  return std::string(path);
}

Result<void> expect_leaf_endpoint(std::string_view address) {
  if (address.starts_with(kIpcScheme)) return outcome_of(parse_local_address(address));
  return outcome_of(parse_tcp_endpoint(address));
}
Result<void> expect_listen_address(std::string_view address) {
  if (address.starts_with(kUnixScheme)) return outcome_of(parse_local_address(address));
  return outcome_of(parse_host_port(address));
}
Result<Url> parse_server(std::string_view address) {
  if (!address.starts_with(kUnixScheme)) return parse_url(address);
  FROND_TRY(parse_local_address(address));
  return Url{std::string(address), "", "", false};
}

Endpoint local_endpoint(const std::string& path) { return asio::local::stream_protocol::endpoint(path); }

void open(Acceptor& acceptor, const Endpoint& endpoint, error_code& failed) {
  const bool of_files = is_of_files(endpoint);
  if (of_files) {
    const auto* const address = static_cast<const sockaddr_un*>(static_cast<const void*>(endpoint.data()));
    if (is_abandoned(endpoint, address->sun_path)) ::unlink(address->sun_path);
  }
  acceptor.open(endpoint.protocol(), failed);
  if (!failed && !of_files) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
}

SocketFile::SocketFile(std::string path) : path_(std::move(path)) {
  struct stat made {};
  if (::lstat(path_.c_str(), &made) != 0) path_.clear();
  device_ = made.st_dev;
  number_ = made.st_ino;
}
void SocketFile::remove() {
  struct stat found {};
  const std::string path = std::exchange(path_, {});
  if (!path.empty() && ::lstat(path.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == number_)
    ::unlink(path.c_str());
}

std::uint16_t port_of(const Endpoint& endpoint) { return tcp_endpoint(endpoint).port(); }

asio::ip::address address_of(const Endpoint& endpoint) {
  if (is_of_files(endpoint)) return asio::ip::address_v4::loopback();
  return tcp_endpoint(endpoint).address();
}

}  // namespace frond::net
