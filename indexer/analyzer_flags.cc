#include "indexer/analyzer_flags.h"

namespace frond::indexer {
namespace {

// Those that only standard2 has.
std::string more_stemmers() {
  std::string all;
  for (const std::string_view name : text::kStemmerNames)
    if (text::stemmer_named(name) > text::Stemmer::kEnglish) all += (all.empty() ? "" : "|") + std::string(name);
  return all;
}

}  // namespace

void AnalyzerFlags::add(config::CommandLine& command, const std::string& what) {
  command
      .add_option("--analyzer", analyzer,
                  what +
                      ": standard2; standard, the older rules, in which width, apostrophes and soft hyphens matter and "
                      "words of scripts without spaces are not found")
      .check(config::one_of({text::kAnalyzerNames.begin(), text::kAnalyzerNames.end()}))
      .show_default();
  command.add_option("--stemmer", stemmer, "porter|english|none; with --analyzer standard2 also: " + more_stemmers())
      .show_default();
  command.add_flag("--fold-accents", fold_accents,
                   "With --analyzer standard2: Latin and Greek letters are found without their accents and with them");
  command.add_option("--stop-words", stop_words, "on: English stop words are not indexed; on|off")
      .check(config::one_of({"on", "off"}))
      .show_default();
}

Result<text::AnalyzerConfig> AnalyzerFlags::made() const {
  const auto known = text::stemmer_named(stemmer);
  if (!known)
    return Error(Code::kInvalid, "--stemmer: '" + stemmer + "' is none of porter|english|none|" + more_stemmers());
  const text::AnalyzerConfig config{*known, stop_words == "on", *text::analyzer_named(analyzer), fold_accents};
  if (is_valid(config)) return config;
  return Error(Code::kInvalid, fold_accents ? "--fold-accents needs --analyzer standard2"
                                            : "--stemmer " + stemmer + " needs --analyzer standard2");
}

}  // namespace frond::indexer
