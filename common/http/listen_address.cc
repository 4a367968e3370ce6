#include "common/http/listen_address.h"

#include <charconv>
#include <cstdint>
#include <string_view>

namespace frond::http {
namespace asio = boost::asio;
using asio::ip::tcp;

Result<tcp::endpoint> listen_address(asio::io_context& io, const std::string& listen) {
  const auto invalid = [&](std::string_view why) {
    return Error(Code::kInvalid, "listen address '" + listen + "' " + std::string(why));
  };
  const auto colon = listen.rfind(':');
  if (colon == std::string::npos) return invalid("is not HOST:PORT");
  std::string host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos)
    return invalid("needs brackets around its IPv6 address");
  if (host.empty() || host == "*") host = "0.0.0.0";
  std::uint16_t port = 0;
  const char* const end = listen.data() + listen.size();
  const auto [stop, error] = std::from_chars(listen.data() + colon + 1, end, port);
  if (error != std::errc() || stop != end) return invalid("has no port of 0 to 65535");
  boost::system::error_code ec;
  const auto address = asio::ip::make_address(host, ec);
  if (!ec) return tcp::endpoint(address, port);
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, ec);
  if (ec || found.empty()) return invalid("cannot be resolved: " + ec.message());
  return found.begin()->endpoint();
}

}  // namespace frond::http
