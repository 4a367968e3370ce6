#pragma once
// What a failure inside the leaf is to a broker.
#include "common/base/result.h"
#include "common/wire/messages.h"

namespace frond::leaf::serve {

inline wire::Unsearched reason_of(Code code) {
  switch (code) {
    case Code::kDeadline:
      return wire::Unsearched::kDeadline;
    case Code::kOverloaded:
      return wire::Unsearched::kOverloaded;
    case Code::kCorrupt:
      return wire::Unsearched::kCorrupt;
    default:
      return wire::Unsearched::kUnavailable;
  }
}

inline wire::ErrorReply refusal(std::uint64_t request_id, const Error& why) {
  return {request_id, why.message(), reason_of(why.code())};
}

}  // namespace frond::leaf::serve
