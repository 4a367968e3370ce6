#pragma once
// Ends another thread's poll(2): a descriptor that becomes readable once, and stays so.
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::files {

// Thread-safe.
class Interrupt {
 public:
  Interrupt();  // throws std::system_error if the process has no descriptor left
  void raise();
  bool raised() const;
  int fd() const { return event_.get(); }

 private:
  Descriptor event_;
};

}  // namespace frond::files
