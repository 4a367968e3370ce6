#include "common/wire/curve_keys.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "common/base/lines.h"
#include "common/base/text.h"
#include "common/files/read.h"

namespace frond::wire {
namespace {

constexpr std::size_t kMaxFileBytes = kMaxCurveClients * (kCurveKeyCharacters + 2);

Error invalid(const std::string& why) { return Error(Code::kInvalid, why); }

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

CurveClients::CurveClients(std::string path, std::string text, CurvePublicKeys keys)
    : path_(std::move(path)), text_(std::move(text)), keys_(std::make_shared<const CurvePublicKeys>(std::move(keys))) {}

Result<std::unique_ptr<CurveClients>> CurveClients::open(std::string path) {
  std::string text = FROND_TRY(read_curve_key_file(path));
  auto keys = parse_curve_public_keys(text);
  if (!keys) return std::move(keys).error().within(path);
  return std::unique_ptr<CurveClients>(new CurveClients(std::move(path), std::move(text), *std::move(keys)));
}

Result<bool> CurveClients::refresh() {
  auto text = read_curve_key_file(path_);
  if (text && *text == text_) return false;
  auto keys = text ? parse_curve_public_keys(*text) : Result<CurvePublicKeys>(Error(text.error()));
  text_ = text ? *text : std::string();  // nothing: the next contents count as changed
  auto next = std::make_shared<const CurvePublicKeys>(keys ? *keys : CurvePublicKeys());
  const MutexLock lock(mutex_);
  const bool was_stale = std::exchange(stale_, !keys);
  if (!text && was_stale) return false;
  if (!text) return std::move(text).error();
  if (!keys) return std::move(keys).error().within(path_);
  const bool changed = *keys_ != *next;
  keys_ = std::move(next);
  return changed;
}

std::shared_ptr<const CurvePublicKeys> CurveClients::keys() const {
  const MutexLock lock(mutex_);
  return keys_;
}

bool CurveClients::stale() const {
  const MutexLock lock(mutex_);
  return stale_;
}

}  // namespace frond::wire
