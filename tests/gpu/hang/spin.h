#pragma once
#include "common/base/result.h"

namespace frond::support {

// Has all of the device's multiprocessors at work for so many seconds, so that no other kernel of this process begins.
Result<void> occupy_device(int seconds);

}  // namespace frond::support
