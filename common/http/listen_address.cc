#include "common/http/listen_address.h"

#include <cstdint>
#include <utility>

#include "common/net/address.h"

namespace frond::http {
namespace asio = boost::asio;
using asio::ip::tcp;

Result<tcp::endpoint> listen_address(asio::io_context& io, const std::string& listen) {
  auto parsed = net::parse_host_port(listen);
  if (!parsed) return std::move(parsed).error().within("listen address");
  const std::uint16_t port = parsed->port;
  const std::string host = parsed->host.empty() || parsed->host == "*" ? "0.0.0.0" : parsed->host;
  boost::system::error_code ec;
  const auto address = asio::ip::make_address(host, ec);
  if (!ec) return tcp::endpoint(address, port);
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, ec);
  if (ec || found.empty())
    return Error(Code::kInvalid, "listen address: '" + listen + "' cannot be resolved: " + ec.message());
  return found.begin()->endpoint();
}

}  // namespace frond::http
