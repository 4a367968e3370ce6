#include "tools/up/checks.h"

#include <system_error>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace frond::tools::up {
namespace fs = std::filesystem;
using boost::asio::ip::tcp;

Result<Place> free_place(const std::string& http, const std::string& flag) {
  Place place{FROND_TRY(net::parse_host_port(http))};
  if (place.at.host.empty() || place.at.host == "*") place.at.host = "0.0.0.0";
  boost::asio::io_context io;
  boost::system::error_code failed;
  const auto found = tcp::resolver(io).resolve(place.at.host, std::to_string(place.at.port), failed);
  const auto refuse = [&](const std::string& why) { return Error(Code::kUnavailable, flag + " " + http + ": " + why); };
  if (failed || found.empty()) return refuse(failed ? failed.message() : "it has no address");
  tcp::acceptor acceptor(io);
  acceptor.open(found->endpoint().protocol(), failed);
  acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
  if (acceptor.bind(found->endpoint(), failed)) return refuse(failed.message());
  if (acceptor.listen(1, failed)) return refuse(failed.message());
  place.at.port = acceptor.local_endpoint().port();
  place.loopback = found->endpoint().address().is_loopback();
  return place;
}

Result<std::vector<std::string>> checked_inputs(const std::vector<std::string>& inputs, const fs::path& state) {
  std::vector<std::string> all;
  for (const std::string& input : inputs) {
    std::error_code failed;
    const fs::path path = fs::canonical(input, failed);
    if (failed) return Error(Code::kNotFound, "--input " + input + ": " + failed.message());
    const fs::path inside = fs::weakly_canonical(fs::absolute(state), failed).lexically_relative(path);
    if (!inside.empty() && *inside.begin() != "..")
      return Error(Code::kInvalid,
                   "--input " + input + " contains --data " + state.string() + ": give --data a folder somewhere else");
    all.push_back(path.string());
  }
  return all;
}

}  // namespace frond::tools::up
