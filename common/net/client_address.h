#pragma once
// What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 one, since a client chooses the rest
// itself. Any thread.
#include <array>
#include <cstddef>
#include <cstdint>

#include <boost/asio/ip/address.hpp>

namespace frond::net {

// As an IPv6 address has it: an IPv4 address is mapped, the second half of others is 0.
using ClientAddress = std::array<std::uint8_t, 16>;
ClientAddress client_address(const boost::asio::ip::address& address);

// With a secret of this process, so that nobody can choose addresses that fall together.
struct AddressHash {
  std::size_t operator()(const ClientAddress& address) const;
};

}  // namespace frond::net
