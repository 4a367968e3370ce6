#include "tools/client/client_key.h"

#include <cstdlib>
#include <utility>

#include "common/base/lines.h"
#include "common/files/read.h"
#include "common/keys/api_key.h"

namespace frond::tools {
namespace {

constexpr std::size_t kMaxFileBytes = 4096;

Result<std::string> read_key(const std::string& file) {
  std::string key(without_mark(FROND_TRY(files::read_input(file, kMaxFileBytes))));
  key.erase(key.find_last_not_of(" \t\r\n") + 1);
  return key;
}

}  // namespace

Result<std::string> authorization(const std::string& file) {
  const char* const variable = std::getenv(kKeyVariable);
  if (file.empty() && (variable == nullptr || *variable == '\0')) return std::string();
  const std::string key = file.empty() ? std::string(variable) : FROND_TRY(read_key(file));
  if (!keys::is_key(key))
    return Error(Code::kInvalid,
                 (file.empty() ? kKeyVariable : file) + ": that is no API key (frond keygen --api-key)");
  return "Authorization: Bearer " + key + "\r\n";
}

}  // namespace frond::tools
