#include "common/net/client_address.h"

#include <algorithm>

namespace frond::net {
namespace asio_ip = boost::asio::ip;

ClientAddress client_address(const asio_ip::address& address) {
  const asio_ip::address_v6 wide =
      address.is_v4() ? asio_ip::make_address_v6(asio_ip::v4_mapped, address.to_v4()) : address.to_v6();
  ClientAddress client = wide.to_bytes();
  if (!wide.is_v4_mapped()) std::fill(client.begin() + 8, client.end(), 0);
  return client;
}

}  // namespace frond::net
