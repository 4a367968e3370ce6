#include "leaf/warm/asked_terms.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/base/long_hash.h"
#include "common/files/read.h"
#include "common/files/write.h"

namespace frond::leaf::warm {
namespace {

constexpr std::string_view kMagic = "FRNDASK1";

}  // namespace

std::vector<AskedTerm> merged(std::vector<AskedTerm> known, std::vector<AskedTerm> now) {
  std::unordered_map<std::string, float> times;
  for (AskedTerm& one : known) times[std::move(one.term)] += one.times / 2;
  for (AskedTerm& one : now) times[std::move(one.term)] += one.times;
  std::vector<AskedTerm> all;
  all.reserve(times.size());
  for (const auto& [term, count] : times) all.push_back({term, count});
  std::sort(all.begin(), all.end(), [](const AskedTerm& a, const AskedTerm& b) {
    return a.times != b.times ? a.times > b.times : a.term < b.term;
  });
  if (all.size() > kMaxAskedTerms) all.resize(kMaxAskedTerms);
  std::size_t bytes = 64;
  const auto too_many = std::find_if(all.begin(), all.end(), [&bytes](const AskedTerm& one) {
    bytes += one.term.size() + 16;
    return bytes > kMaxAskedBytes;
  });
  all.erase(too_many, all.end());
  return all;
}

ByteBuffer to_bytes(const std::vector<AskedTerm>& terms) {
  ByteBuffer bytes;
  ByteWriter writer(bytes);
  writer.put_bytes(as_bytes(kMagic));
  writer.put_varint(terms.size());
  for (const AskedTerm& one : terms) {
    writer.put(one.times);
    writer.put_text(one.term);
  }
  writer.put(long_hash(bytes, 0));
  return bytes;
}

Result<std::vector<AskedTerm>> from_bytes(ByteView bytes) {
  const Error damaged(Code::kCorrupt, "the terms that were asked for are damaged");
  if (bytes.size() < kMagic.size() + sizeof(std::uint64_t) || bytes.size() > kMaxAskedBytes) return damaged;
  const ByteView body = bytes.first(bytes.size() - sizeof(std::uint64_t));
  if (load_le<std::uint64_t>(bytes.data() + body.size()) != long_hash(body, 0)) return damaged;
  ByteReader reader(body);
  if (as_text(reader.get_bytes(kMagic.size())) != kMagic) return damaged;
  const std::uint64_t count = reader.get_varint();
  if (count > kMaxAskedTerms) return damaged;
  std::vector<AskedTerm> terms;
  terms.reserve(count);
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const auto times = reader.get<float>();
    terms.push_back({std::string(reader.get_text()), times});
    if (!std::isfinite(times) || times < 0) return damaged;
  }
  if (!reader.ok() || !reader.at_end()) return damaged;
  return terms;
}

Result<std::vector<AskedTerm>> read_asked(const std::filesystem::path& file) {
  const std::string text = FROND_TRY(files::read_text(file, kMaxAskedBytes));
  auto terms = from_bytes(as_bytes(text));
  if (!terms) return std::move(terms).error().within(file.string());
  return terms;
}

Result<void> write_asked(const std::filesystem::path& file, const std::vector<AskedTerm>& terms) {
  return files::replace_file(file, as_text(to_bytes(terms)));
}

}  // namespace frond::leaf::warm
