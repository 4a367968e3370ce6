#include "common/repository/manifest_members.h"

#include <cmath>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/repository/manifest.h"
#include "common/tls/signature.h"

namespace frond::repository {
namespace {

using nlohmann::json;

// true: English; false: none; a language; or a list of words.
text::StopWords read_stop_words(Members& members) {
  const json* const value = members.find("stop_words");
  if (value != nullptr && value->is_string()) {
    const auto name = value->get<std::string>();
    const auto known = text::StopWords::named(name);
    if (!known) members.fail("stop_words", "is '" + name + "', of which this version has no stop words");
    return known.value_or(false);
  }
  if (value == nullptr || !value->is_array()) return members.flag("stop_words");
  std::vector<std::string> words;
  for (const json& word : *value) {
    if (!word.is_string()) members.fail("stop_words", "has something that is no string");
    words.push_back(word.is_string() ? word.get<std::string>() : std::string());
  }
  auto own = text::StopWords::own(std::move(words));
  if (!own) members.fail("stop_words", "cannot be used: " + own.error().message());
  return own ? *std::move(own) : text::StopWords(false);
}

json stop_words_to_json(const text::StopWords& stop_words) {
  if (stop_words.are_none() || stop_words.are_english())
    return stop_words.are_english();  // as older versions know them
  if (!stop_words.are_own()) return stop_words.name();
  json words = json::array();
  for (const std::string& word : stop_words.own_words()) words.push_back(word);
  return words;
}

}  // namespace

std::string listed(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

Members::Members(const json& object, std::string path, std::string& error)
    : object_(object), path_(std::move(path)), error_(error) {
  if (!object_.is_object()) fail("", "is not an object");
}

std::uint64_t Members::number(const char* name) {
  const auto value = get(name, &json::is_number_unsigned, "a whole number").get<std::uint64_t>();
  if (value > kMaxNumber) fail(name, "is above 2^62");
  return value;
}

double Members::real(const char* name) {
  const double value = get(name, &json::is_number, "a number").get<double>();
  if (!std::isfinite(value)) fail(name, "is not finite");
  return value;
}

std::string Members::text(const char* name) { return get(name, &json::is_string, "a string").get<std::string>(); }
bool Members::flag(const char* name) { return get(name, &json::is_boolean, "true or false").get<bool>(); }

Members Members::object(const char* name) {
  return {get(name, &json::is_object, "an object"), path_ + name + ".", error_};
}

const json& Members::array(const char* name) { return get(name, &json::is_array, "an array"); }

std::string Members::safe_name(const char* name) {
  auto value = text(name);
  if (!is_safe_name(value)) fail(name, "is not a safe file name");
  return value;
}

const json* Members::find(const char* name) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

void Members::fail(std::string_view name, std::string_view what) {
  if (error_.empty()) error_ = path_ + std::string(name) + " " + std::string(what);
}

const json& Members::get(const char* name, bool (json::*is)() const noexcept, std::string_view type) {
  static const json kNumber = 0u, kString = "", kFlag = false, kObject = json::object(), kArray = json::array();
  if (const json* const found = find(name); found != nullptr && (found->*is)()) return *found;
  fail(name, "is missing or not " + std::string(type));
  for (const json* fallback : {&kNumber, &kString, &kFlag, &kObject})
    if ((fallback->*is)()) return *fallback;
  return kArray;
}

text::AnalyzerConfig read_analyzer(Members members) {
  const std::string name =
      members.has("name") ? members.text("name") : std::string(name_of(text::AnalyzerKind::kStandard));
  const auto kind = text::analyzer_named(name);
  if (!kind)
    members.fail("name", "is '" + name + "', which is no analyzer of this version: " + listed(text::kAnalyzerNames));
  const std::string stemmer_name = members.text("stemmer");
  const auto stemmer = text::stemmer_named(stemmer_name);
  if (!stemmer)
    members.fail("stemmer",
                 "is '" + stemmer_name + "', which is no stemmer of this version: " + listed(text::kStemmerNames));
  text::AnalyzerConfig analyzer{stemmer.value_or(text::Stemmer::kNone), read_stop_words(members),
                                kind.value_or(text::AnalyzerKind::kStandard)};
  if (members.has("fold_accents")) analyzer.fold_accents = members.flag("fold_accents");
  if (members.has("split_case")) analyzer.split_case = members.flag("split_case");
  if (!is_valid(analyzer))
    members.fail("name", "is '" + name + "', which has no such stemmer, folding of accents or splitting of words");
  return is_valid(analyzer) ? analyzer : text::AnalyzerConfig();
}

json analyzer_to_json(const text::AnalyzerConfig& analyzer) {
  json made = {{"stemmer", name_of(analyzer.stemmer)}, {"stop_words", stop_words_to_json(analyzer.stop_words)}};
  if (analyzer.kind == text::AnalyzerKind::kStandard) return made;
  made["name"] = name_of(analyzer.kind);
  made["fold_accents"] = analyzer.fold_accents;
  if (analyzer.kind == text::AnalyzerKind::kStandard3) made["split_case"] = analyzer.split_case;
  return made;
}

Signature read_signature(Members members) {
  const auto is_hex = [](std::string_view text, std::size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == text.npos;
  };
  Signature signature{.key = members.text("key"), .bytes = {}, .sha256 = {}, .text = {}};
  if (!is_hex(signature.key, 16)) members.fail("key", "is not 16 hex digits");
  const std::string hex = members.text("ed25519");
  if (!is_hex(hex, 2 * tls::kSignatureBytes)) members.fail("ed25519", "is not 128 hex digits");
  const auto digit = [&](std::size_t i) { return hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10; };
  for (std::size_t i = 0; members.ok() && i < hex.size(); i += 2)
    signature.bytes.push_back(static_cast<char>(digit(i) * 16 + digit(i + 1)));
  members.object("sha256");  // which it must be
  const json* const digests = members.find("sha256");
  if (members.ok() && digests != nullptr)
    for (const auto& [path, digest] : digests->items()) {
      if (!digest.is_string() || !is_hex(digest.get_ref<const std::string&>(), 64))
        members.fail("sha256", "has a digest that is not 64 hex digits");
      else
        signature.sha256.emplace(path, digest.get<std::string>());
    }
  return signature;
}

json signature_to_json(const Signature& signature) {
  return {{"key", signature.key}, {"ed25519", hex_text(as_bytes(signature.bytes))}, {"sha256", json(signature.sha256)}};
}

}  // namespace frond::repository
