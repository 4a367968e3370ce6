#include "common/base/check.h"

#include <cstdlib>
#include <string>

#include "common/base/line_writer.h"

namespace frond::base_detail {

void check_failed(const char* file, int line, const char* condition) {
  write_stderr(std::string(file) + ":" + std::to_string(line) + ": FROND_CHECK failed: " + condition + "\n");
  std::abort();
}

}  // namespace frond::base_detail
