#include "common/wire/curve_keys.h"

#include <sys/stat.h>

#include <algorithm>

#include "common/base/lines.h"
#include "common/files/read.h"

namespace frond::wire {
namespace {

constexpr std::size_t kMaxFileBytes = kMaxCurveClients * (kCurveKeyCharacters + 2);
constexpr std::string_view kSpace = " \t\r\n";

Error invalid(const std::string& why) { return Error(Code::kInvalid, why); }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

// The key's 40 characters.
Result<std::string> one_key(std::string_view text) {
  const std::string key(trimmed(text));
  if (key.size() != kCurveKeyCharacters)
    return invalid("expected a key of 40 characters (Z85), found " + std::to_string(key.size()) + " characters");
  if (!zmtp::key_of_z85(key)) return invalid("expected a key of 40 characters (Z85), found others among them");
  return key;
}

template <class Parse>
auto read_with(const std::string& path, Parse parse) -> decltype(parse(std::string_view{})) {
  const std::string text = FROND_TRY(read_curve_key_file(path));
  auto parsed = parse(without_mark(text));
  if (!parsed) return std::move(parsed).error().within(path);
  return parsed;
}

}  // namespace

CurveKeyPair generate_curve_keys() {
  const zmtp::CurvePair pair = zmtp::make_curve_pair();
  return {{zmtp::z85_of(pair.public_key)}, zmtp::z85_of(pair.secret_key)};
}

zmtp::CurvePair raw_keys(const CurveKeyPair& keys) {
  return {raw_key(keys.public_key), raw_key(CurvePublicKey{keys.secret_z85})};
}

zmtp::CurveKey raw_key(const CurvePublicKey& key) {
  const auto raw = zmtp::key_of_z85(key.z85);
  FROND_CHECK(raw.has_value());  // it was parsed or generated
  return *raw;
}

Result<CurvePublicKey> parse_curve_public_key(std::string_view text) {
  return CurvePublicKey{FROND_TRY(one_key(text))};
}

Result<CurveKeyPair> parse_curve_secret_key(std::string_view text) {
  CurveKeyPair keys;
  keys.secret_z85 = FROND_TRY(one_key(text));
  keys.public_key.z85 = zmtp::z85_of(zmtp::public_key_of(*zmtp::key_of_z85(keys.secret_z85)));
  return keys;
}

Result<CurvePublicKeys> parse_curve_public_keys(std::string_view text) {
  CurvePublicKeys keys;
  Lines lines(text);
  while (const auto line = lines.next()) {
    const std::string_view content = trimmed(*line);
    if (content.empty()) continue;
    auto key = one_key(content);
    if (!key) return std::move(key).error().within("line " + std::to_string(lines.number()));
    keys.insert(*std::move(key));
    if (keys.size() > kMaxCurveClients) return invalid("more than " + std::to_string(kMaxCurveClients) + " keys");
  }
  if (keys.empty()) return invalid("no key in it");
  return keys;
}

Result<std::string> read_curve_key_file(const std::string& path) {
  Result<std::string> text = files::read_text(path, kMaxFileBytes);
  if (text) return text;
  if (text == Code::kCorrupt) return invalid(path + ": larger than any list of keys");
  return Error(Code::kUnavailable, text.error().message());
}

Result<CurvePublicKey> read_curve_public_key(const std::string& path) {
  return read_with(path, parse_curve_public_key);
}
Result<CurveKeyPair> read_curve_secret_key(const std::string& path) { return read_with(path, parse_curve_secret_key); }

bool readable_by_everybody(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IROTH) != 0;
}

}  // namespace frond::wire
