#include "tools/commands/key_files.h"

#include <unistd.h>

#include <utility>

#include "common/files/write.h"
#include "common/wire/curve_keys.h"

namespace frond::tools {
namespace {

struct NewFile {
  std::string path, content;
  mode_t mode;
};

// Both files, or none.
Result<void> write_both(const NewFile& first, const NewFile& second) {
  FROND_TRY(files::write_new(first.path, first.content, first.mode));
  auto written = files::write_new(second.path, second.content, second.mode);
  if (!written) unlink(first.path.c_str());  // this call created it
  return written;
}

}  // namespace

Result<std::string> write_new_keys(const std::string& prefix) {
  const wire::CurveKeyPair keys = wire::generate_curve_keys();
  FROND_TRY(write_both({prefix + ".secret", keys.secret_z85 + "\n", 0600},
                       {prefix + ".public", keys.public_key.z85 + "\n", 0644}));
  return keys.public_key.z85;
}

Result<std::string> write_new_api_key(const std::string& prefix, keys::KeyEntry entry) {
  const std::string key = FROND_TRY(keys::make_key());
  entry.digest = tls::sha256(key);
  std::string line = entry.line();
  FROND_TRY(write_both({prefix + ".key", key + "\n", 0600}, {prefix + ".entry", line + "\n", 0644}));
  return line;
}

}  // namespace frond::tools
