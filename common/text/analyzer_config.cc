#include "common/text/analyzer_config.h"

namespace frond::text {

std::string described(const AnalyzerConfig& config) {
  return "analyzer " + std::string(name_of(config.kind)) + ", stemmer " + std::string(name_of(config.stemmer)) +
         ", stop words " + (config.stop_words ? "off the index" : "indexed") +
         (config.fold_accents ? ", accents folded" : "");
}

}  // namespace frond::text
