#include "tools/key_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/wire/curve_keys.h"

namespace frond::tools {
namespace {

// A new file, on disk when this returns; or none.
Result<void> write_new(const std::string& path, const std::string& key, unsigned mode) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0 && errno == EEXIST) return Error(Code::kInvalid, path + " is there already, and is not overwritten");
  const std::string line = key + "\n";
  const bool whole =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && fsync(file) == 0;
  const std::string why = std::strerror(errno);
  const bool closed = file >= 0 && close(file) == 0;
  if (whole && closed) return {};
  if (file >= 0) unlink(path.c_str());
  return Error(Code::kUnavailable, path + ": " + why);
}

}  // namespace

Result<std::string> write_new_keys(const std::string& prefix) {
  const wire::CurveKeyPair keys = FROND_TRY(wire::generate_curve_keys());
  const std::string secret = prefix + ".secret";
  FROND_TRY(write_new(secret, keys.secret_z85, 0600));
  auto written = write_new(prefix + ".public", keys.public_key.z85, 0644);
  if (!written) {
    unlink(secret.c_str());  // ours: it was not there before
    return std::move(written).error();
  }
  return keys.public_key.z85;
}

}  // namespace frond::tools
