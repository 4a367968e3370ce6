#include "leaf/ending.h"

namespace frond::leaf {
namespace {
constexpr std::chrono::milliseconds kLastProbes{1000};
constexpr std::chrono::milliseconds kAskAgain{100};  // interval of the checks of LeafService::needed()
}  // namespace

void Ending::begin() {
  service_.withdraw();
  needed_until_ = clock_.now() + spans_.notice + spans_.needed;
  wait(spans_.notice);
}

void Ending::wait(std::chrono::milliseconds span) {
  timer_.expires_after(span);
  timer_.async_wait([this](const boost::system::error_code&) {
    if (clock_.now() < needed_until_ && service_.needed()) return wait(kAskAgain);
    stop();
  });
}

void Ending::stop() {
  http_.drain([this] { io_.stop(); });
  timer_.expires_after(kLastProbes);  // a client that does not read must not delay the end
  timer_.async_wait([this](const boost::system::error_code&) { io_.stop(); });
}

}  // namespace frond::leaf
