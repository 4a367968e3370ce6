// A conversation survives any bytes of its peer, in any role and with any mechanism, however they are cut, and keeps
// no more than came. The first byte chooses.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "common/zmtp/conversation.h"
#include "common/zmtp/curve.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  if (size == 0) return 0;
  static const zmtp::CurvePair ours = zmtp::make_curve_pair(), theirs = zmtp::make_curve_pair();
  const unsigned choice = data[0];
  const auto role = (choice & 1) != 0 ? zmtp::Role::kDealer : zmtp::Role::kRouter;
  auto mechanism = (choice & 2) == 0             ? zmtp::null_mechanism(role)
                   : role == zmtp::Role::kRouter ? zmtp::curve_router(ours, [](const zmtp::CurveKey&) { return true; })
                                                 : zmtp::curve_dealer(ours, theirs.public_key);
  zmtp::Conversation talk(std::move(mechanism), 1000);
  ByteView bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  const std::size_t step = 1 + (choice >> 2);
  while (!bytes.empty()) {
    const ByteView next = bytes.first(std::min(step, bytes.size()));
    bytes = bytes.subspan(next.size());
    const auto trouble = talk.take(next, 2, [](ByteView message) { return message.size() <= 1000; });
    if (talk.kept() > size) std::abort();
    if (talk.held() > 2 * size + 4096) std::abort();
    if (trouble != zmtp::Trouble::kNone) break;
    while (talk.paused())
      if (talk.take({}, 2, [](ByteView) { return true; }) != zmtp::Trouble::kNone) break;
  }
  if (talk.ready()) talk.put_message(as_bytes("reply"));
  return 0;
}
