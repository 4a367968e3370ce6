#include "common/keys/api_key.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "common/base/lines.h"
#include "common/base/text.h"

namespace frond::keys {
namespace {

using http::Access;

constexpr std::string_view kBase64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kHashName = "sha256:", kRate = "rate=", kInFlight = "in-flight=", kWeight = "weight=";

constexpr bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether a key may have a character: a table, since each request's key is looked at.
constexpr std::array<bool, 256> kKeyCharacters = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = is_alphanumeric(static_cast<char>(c));
  for (const char c : std::string_view("-._~+/=")) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

Error invalid(std::string message) { return Error(Code::kInvalid, std::move(message)); }

Result<tls::Sha256> parse_digest(std::string_view text) {
  const Error wrong = invalid("the third word must be " + std::string(kHashName) + " and 64 digits of lower-case hex");
  if (!text.starts_with(kHashName)) return wrong;
  text.remove_prefix(kHashName.size());
  tls::Sha256 digest{};
  if (text.size() != 2 * digest.size()) return wrong;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const auto high = kHex.find(text[2 * i]), low = kHex.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return wrong;
    digest[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return digest;
}

template <class Number>
bool parse_number(std::string_view text, Number min, Number max, Number& to) {
  const auto number = number_in<Number>(text);
  to = number.value_or(0);
  return number && to >= min && to <= max;
}

Result<void> parse_limit(std::string_view word, KeyEntry& entry) {
  Limits& limits = entry.limits;
  if (word.starts_with(kRate)) {
    if (limits.rate != 0) return invalid("rate= stands there twice");
    if (!parse_number(word.substr(kRate.size()), kMinRate, kMaxRate, limits.rate))
      return invalid("rate= must be a number from 0.001 to 1000000");
  } else if (word.starts_with(kInFlight)) {
    if (limits.in_flight != 0) return invalid("in-flight= stands there twice");
    if (!parse_number(word.substr(kInFlight.size()), 1u, kMaxInFlight, limits.in_flight))
      return invalid("in-flight= must be a whole number from 1 to " + std::to_string(kMaxInFlight));
  } else if (word.starts_with(kWeight)) {
    if (entry.weight != 0) return invalid("weight= stands there twice");
    if (!parse_number(word.substr(kWeight.size()), 1u, kMaxWeight, entry.weight))
      return invalid("weight= must be a whole number from 1 to " + std::to_string(kMaxWeight));
  } else {
    return invalid("a word after the digest is none of rate=, in-flight= and weight=");
  }
  return {};
}

// `scheme` in lower case.
bool has_scheme(std::string_view value, std::string_view scheme) {
  return value.size() > scheme.size() && value[scheme.size()] == ' ' &&
         std::equal(scheme.begin(), scheme.end(), value.begin(), [](char wanted, char c) {
           return wanted == (c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
         });
}

Credential checked(std::string_view key) {
  key.remove_prefix(std::min(key.find_first_not_of(' '), key.size()));
  return {is_key(key) ? Credential::Kind::kKey : Credential::Kind::kMalformed, key};
}

Credential authorization(std::string_view value) {
  for (const std::string_view scheme : {"bearer", "apikey"})
    if (has_scheme(value, scheme)) return checked(value.substr(scheme.size()));
  return {Credential::Kind::kOther, {}};
}

}  // namespace

std::string_view name_of(Access access) {
  constexpr std::string_view kNames[] = {"open", "search", "write", "admin"};
  return kNames[static_cast<int>(access)];
}

bool is_key(std::string_view text) {
  return text.size() >= kMinKeyBytes && text.size() <= kMaxKeyBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return kKeyCharacters[static_cast<unsigned char>(c)]; });
}

Result<std::string> make_key() {
  std::array<std::uint8_t, 33> random{};  // the last byte completes the last group
  FROND_TRY(tls::fill_random(std::span(random).first(32)));
  std::string text;
  for (std::size_t i = 0; i < random.size(); i += 3) {
    const std::uint32_t group = std::uint32_t{random[i]} << 16 | std::uint32_t{random[i + 1]} << 8 | random[i + 2];
    for (const int shift : {18, 12, 6, 0}) text += kBase64Url[group >> shift & 63];
  }
  text.resize(43);
  return "frond_" + text;
}

Result<Scopes> Scopes::parse(std::string_view text) {
  Scopes scopes;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const auto name = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    const auto known = {Access::kSearch, Access::kWrite, Access::kAdmin};
    const auto* const found =
        std::find_if(known.begin(), known.end(), [&](Access one) { return name_of(one) == name; });
    if (found == known.end()) return invalid("scopes are search, write and admin, separated by commas");
    if (scopes.has(*found)) return invalid("a scope stands there twice");
    scopes.add(*found);
  }
  return scopes;
}

std::string Scopes::text() const {
  std::string text;
  for (const Access access : {Access::kSearch, Access::kWrite, Access::kAdmin})
    if (has(access)) text += (text.empty() ? "" : ",") + std::string(name_of(access));
  return text;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
  });
}

std::string KeyEntry::line() const {
  std::string line = name + " " + scopes.text() + " " + std::string(kHashName);
  for (const std::uint8_t byte : digest) {
    line += kHex[byte >> 4];
    line += kHex[byte & 15];
  }
  if (limits.rate > 0) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, limits.rate).ptr;
    line += " " + std::string(kRate) + std::string(text, end);
  }
  if (limits.in_flight > 0) line += " " + std::string(kInFlight) + std::to_string(limits.in_flight);
  if (weight > 0) line += " " + std::string(kWeight) + std::to_string(weight);
  return line;
}

Result<KeyEntry> KeyEntry::parse(std::string_view line) {
  const auto words = words_in(line);
  if (words.size() < 3) return invalid("a line is a name, scopes and sha256:, with spaces between");
  KeyEntry entry;
  if (!is_name(words[0])) return invalid("a name is up to 64 letters, digits, dots, dashes and underscores");
  entry.name = words[0];
  entry.scopes = FROND_TRY(Scopes::parse(words[1]));
  entry.digest = FROND_TRY(parse_digest(words[2]));
  for (std::size_t i = 3; i < words.size(); ++i) FROND_TRY(parse_limit(words[i], entry));
  return entry;
}

Result<std::vector<KeyEntry>> parse_key_file(std::string_view text) {
  std::vector<KeyEntry> entries;
  std::set<std::string> names;
  std::set<tls::Sha256> digests;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (const auto first = line->find_first_not_of(" \t"); first == std::string_view::npos || (*line)[first] == '#')
      continue;
    const auto wrong = [&](Error error) { return std::move(error).within("line " + std::to_string(lines.number())); };
    auto entry = KeyEntry::parse(*line);
    if (!entry) return wrong(std::move(entry).error());
    if (!names.insert(entry->name).second) return wrong(Error(Code::kInvalid, "its name stands there twice"));
    if (!digests.insert(entry->digest).second) return wrong(Error(Code::kInvalid, "its key stands there twice"));
    if (entries.size() == kMaxKeys)
      return wrong(Error(Code::kInvalid, "there are more than " + std::to_string(kMaxKeys) + " keys"));
    entries.push_back(*std::move(entry));
  }
  if (entries.empty()) return Error(Code::kInvalid, "there is no key in it");
  return entries;
}

Credential credential_of(const http::Request& header) {
  Credential found;
  for (const auto& [name, value] : header.headers) {
    const bool standard = name == "authorization";
    if (!standard && name != "x-api-key") continue;
    if (found.kind != Credential::Kind::kNone) return {Credential::Kind::kAmbiguous, {}};
    found = standard ? authorization(value) : checked(value);
  }
  return found;
}

}  // namespace frond::keys
