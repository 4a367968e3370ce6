#include "common/keys/limit_flags.h"

#include <string>

namespace frond::keys {

void add_limit_flags(config::CommandLine& app, Limits& of_key, Limits& of_address) {
  const auto rate = [&](const std::string& name, double& value, const std::string& help) {
    app.add_option(name, value, help).check(config::range(0.0, kMaxRate)).show_default();
  };
  const auto in_flight = [&](const std::string& name, std::uint32_t& value, const std::string& help) {
    app.add_option(name, value, help).check(config::range(0, kMaxInFlight)).show_default();
  };
  rate("--max-rate-per-key", of_key.rate,
       "Requests a second with a key whose line has no rate=; more are answered 429; 0: any");
  in_flight("--max-in-flight-per-key", of_key.in_flight,
            "Requests at a time with a key whose line has no in-flight=; more are answered 429; 0: any");
  rate("--max-rate-per-address", of_address.rate,
       "Requests a second of one address (or 64 bits of an IPv6 address); more are answered 429; 0: any");
  in_flight("--max-in-flight-per-address", of_address.in_flight,
            "Requests at a time of one address; more are answered 429; 0: any");
}

}  // namespace frond::keys
