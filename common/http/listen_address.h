#pragma once
// The address that a server listens on. Internal to this folder.
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "common/base/result.h"

namespace frond::http {

// "host:port" or "[v6]:port"; an empty host or "*" means all IPv4 addresses. Looks names up, which may block. kInvalid.
Result<boost::asio::ip::tcp::endpoint> listen_address(boost::asio::io_context& io, const std::string& listen);

}  // namespace frond::http
