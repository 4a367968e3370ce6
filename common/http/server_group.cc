#include "common/http/server_group.h"

#include <boost/asio/post.hpp>

#include "common/base/check.h"
#include "common/http/crowd.h"
#include "common/http/server_core.h"

namespace frond::http {

std::size_t ServerGroup::join(const std::shared_ptr<ServerCore>& core) {
  const MutexLock lock(mutex_);
  FROND_CHECK(cores_.size() < servers_);
  cores_.push_back(core);
  return cores_.size() - 1;
}

void ServerGroup::make_room_elsewhere(std::size_t number) {
  if (servers_ == 1) return;
  const std::size_t others = servers_ - 1;
  const std::size_t next = (number + 1 + turn_.fetch_add(1, std::memory_order_relaxed) % others) % servers_;
  const MutexLock lock(mutex_);
  const auto core = next < cores_.size() ? cores_[next].lock() : nullptr;
  if (!core) return;
  boost::asio::post(core->io, [core] {
    if (!core->closed) make_room(*core);
  });
}

}  // namespace frond::http
