#include "common/text/analyzer_config.h"

namespace frond::text {

std::string described(const AnalyzerConfig& config) {
  return "analyzer " + std::string(name_of(config.kind)) + ", stemmer " + std::string(name_of(config.stemmer)) +
         ", stop words " + std::string(config.stop_words.name()) + (config.fold_accents ? ", accents folded" : "") +
         (config.split_case ? ", split at capitals" : "");
}

}  // namespace frond::text
