#include "tools/key_files.h"

#include <unistd.h>

#include <utility>

#include "common/files/write.h"
#include "common/wire/curve_keys.h"

namespace frond::tools {
Result<std::string> write_new_keys(const std::string& prefix) {
  const wire::CurveKeyPair keys = FROND_TRY(wire::generate_curve_keys());
  const std::string secret = prefix + ".secret";
  FROND_TRY(files::write_new(secret, keys.secret_z85 + "\n", 0600));
  auto written = files::write_new(prefix + ".public", keys.public_key.z85 + "\n", 0644);
  if (!written) {
    unlink(secret.c_str());  // this call created it
    return std::move(written).error();
  }
  return keys.public_key.z85;
}

}  // namespace frond::tools
