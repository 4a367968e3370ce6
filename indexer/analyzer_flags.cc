#include "indexer/analyzer_flags.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "common/base/lines.h"
#include "common/files/read.h"
#include "common/text/analyzer.h"
#include "common/text/stop_words.h"
#include "common/text/utf8.h"

namespace frond::indexer {
namespace {

// Those that standard does not have.
std::string more_stemmers() {
  std::string all;
  for (const std::string_view name : text::kStemmerNames)
    if (text::stemmer_named(name) > text::Stemmer::kEnglish) all += (all.empty() ? "" : "|") + std::string(name);
  return all;
}

std::string languages_with_stop_words() {
  std::string all;
  for (const text::StopWordList& list : text::stop_word_lists())
    all += (all.empty() ? "" : "|") + std::string(list.language);
  return all;
}

// Of the stemmer's language; of English where it has none.
text::StopWords usual_stop_words(text::Stemmer stemmer) {
  if (stemmer <= text::Stemmer::kEnglish) return true;
  return text::StopWords::named(name_of(stemmer)).value_or(false);
}

// Words separated by white space. What follows a | is a comment, as in Snowball's lists, and so is a line that begins
// with #. Each must be one term of `config`, or it would stop nothing.
Result<text::StopWords> stop_words_in(const std::string& path, text::AnalyzerConfig config) {
  constexpr std::size_t kMaxFile = 1 << 20;
  const std::string content = FROND_TRY(files::read_input(path, kMaxFile));
  config.stop_words = false;
  config.stemmer = text::Stemmer::kNone;
  text::Analyzer analyzer(config, 1);
  std::vector<std::string> words;
  Lines lines(content);
  while (const auto next = lines.next()) {
    if (next->starts_with('#')) continue;
    std::string_view line = next->substr(0, next->find('|'));
    constexpr std::string_view kSpaces = " \t\r";
    while (true) {
      const std::size_t begin = line.find_first_not_of(kSpaces);
      if (begin == std::string_view::npos) break;
      line.remove_prefix(begin);
      const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
      line.remove_prefix(word.size());
      if (const std::size_t terms = analyzer.query_terms(word).size(); terms != 1)
        return Error(Code::kInvalid, path + ", line " + std::to_string(lines.number()) + ": '" +
                                         text::repaired_utf8(word) + "' is " +
                                         (terms == 0 ? "no word" : "more than one word"));
      words.emplace_back(word);
    }
  }
  auto own = text::StopWords::own(std::move(words));
  if (!own) return std::move(own).error().within(path);
  return own;
}

Result<text::StopWords> stop_words_for(const std::string& flag, const text::AnalyzerConfig& config) {
  if (flag == "auto") return usual_stop_words(config.stemmer);
  if (flag == "on" || flag == "off") return text::StopWords(flag == "on");
  if (const auto known = text::StopWords::named(flag)) return *known;
  std::error_code unknown;
  if (std::filesystem::is_regular_file(flag, unknown) || flag.starts_with("/dev/")) return stop_words_in(flag, config);
  return Error(Code::kInvalid,
               "'" + flag + "' is none of auto|" + languages_with_stop_words() + "|on|off, and no file");
}

}  // namespace

void AnalyzerFlags::add(config::CommandLine& command, const std::string& what) {
  command
      .add_option(
          "--analyzer", analyzer,
          what +
              ": standard3; standard2, older rules, in which symbols and the parts of words with : and _ are not "
              "found; standard, the oldest, in which width, apostrophes and soft hyphens matter and words of "
              "scripts without spaces are not found")
      .check(config::one_of({text::kAnalyzerNames.begin(), text::kAnalyzerNames.end()}))
      .show_default()
      .group("Terms");
  command.add_option("--stemmer", stemmer, "porter|english|none; with standard2 and standard3 also: " + more_stemmers())
      .show_default()
      .group("Terms");
  command
      .add_flag("--fold-accents", fold_accents,
                "Not with --analyzer standard: Latin and Greek letters are found without their accents and with them")
      .group("Terms");
  command
      .add_flag("--split-case", split_case,
                "With --analyzer standard3: camelCase words are found by their parts, too, as code needs it")
      .group("Terms");
  command
      .add_option("--stop-words", stop_words,
                  "Words that are not indexed: those of a language, " + languages_with_stop_words() +
                      "; those of a file, separated by white space; auto: of the stemmer's language, English without "
                      "one; on: English; off: none")
      .type_name("auto|LANGUAGE|FILE|on|off")
      .show_default()
      .group("Terms");
}

Result<text::AnalyzerConfig> AnalyzerFlags::made() const {
  const auto known = text::stemmer_named(stemmer);
  if (!known)
    return Error(Code::kInvalid, "--stemmer: '" + stemmer + "' is none of porter|english|none|" + more_stemmers());
  text::AnalyzerConfig config{*known, false, *text::analyzer_named(analyzer), fold_accents, split_case};
  if (!is_valid(config)) {
    if (split_case && config.kind != text::AnalyzerKind::kStandard3)
      return Error(Code::kInvalid, "--split-case needs --analyzer standard3");
    return Error(Code::kInvalid, (fold_accents ? "--fold-accents" : "--stemmer " + stemmer) +
                                     " needs --analyzer standard2 or standard3");
  }
  auto stop = stop_words_for(stop_words, config);
  if (!stop) return std::move(stop).error().within("--stop-words");
  config.stop_words = *std::move(stop);
  return config;
}

}  // namespace frond::indexer
