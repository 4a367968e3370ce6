#pragma once
// All lists of a collection in device memory, in the form that one method searches (list_form.h), and their views.
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/intersect/list_form.h"

namespace frond::leaf::gpu::intersect {

class DeviceIndex {
 public:
  // docIDs ascend strictly and are below `documents`. `threads` threads make the forms; then all are copied, and
  // create() waits. kDevice.
  static Result<DeviceIndex> create(Method method, std::span<const std::vector<DocId>> lists, std::uint32_t documents,
                                    unsigned threads);
  Method method() const { return method_; }
  const ListView* views() const { return reinterpret_cast<const ListView*>(memory_.data()); }  // on the device
  std::span<const std::uint32_t> counts() const { return counts_; }                            // docIDs of each list
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  DeviceIndex(Method method, device::Memory memory, std::vector<std::uint32_t> counts)
      : method_(method), memory_(std::move(memory)), counts_(std::move(counts)) {}
  Method method_;
  device::Memory memory_;  // views, then images
  std::vector<std::uint32_t> counts_;
};

}  // namespace frond::leaf::gpu::intersect
