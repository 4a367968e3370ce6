#pragma once
// Where a server listens, from the text of its configuration. Internal to this folder.
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "common/base/result.h"

namespace frond::http {

// "host:port", "[v6]:port"; an empty host or "*" is every IPv4 address. May ask DNS, and wait for it. kInvalid.
Result<boost::asio::ip::tcp::endpoint> listen_address(boost::asio::io_context& io, const std::string& listen);

}  // namespace frond::http
