#include "common/config/gpus.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace frond::config {

Result<Gpus> parse_gpus(std::string_view text) {
  Gpus gpus{.off = text == "off", .named = text != "off" && text != "auto", .devices = {}};
  if (!gpus.named || text == "all") return gpus;
  const Error wrong(Code::kInvalid, "'" + std::string(text) +
                                        "' is not auto, all, off, or numbers of devices from 0 to " +
                                        std::to_string(kMaxGpus - 1) + ", each once, as 0,2");
  const char* const behind = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    int number = -1;
    const auto [end, failure] = std::from_chars(at, behind, number);
    if (failure != std::errc() || number < 0 || number >= kMaxGpus || std::ranges::count(gpus.devices, number) > 0)
      return wrong;
    gpus.devices.push_back(number);
    at = end;
    if (at == behind) return gpus;
    if (*at != ',') return wrong;
  }
}

Rule gpus() {
  return one_of({"auto", "all", "off"}) | accepted(
                                              [](const std::string& text) {
                                                const auto parsed = parse_gpus(text);
                                                return parsed ? std::string() : parsed.error().message();
                                              },
                                              "NUMBERS");
}

}  // namespace frond::config
