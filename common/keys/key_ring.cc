#include "common/keys/key_ring.h"

#include <cstring>
#include <utility>

#include "common/files/read.h"
#include "common/keys/key_file.h"

namespace frond::keys {
namespace {

std::uint64_t front_of(const tls::Sha256& digest) {
  std::uint64_t front = 0;
  std::memcpy(&front, digest.data(), sizeof front);
  return front;
}

}  // namespace

Result<std::unique_ptr<KeyRing>> KeyRing::load(std::string file, const Limits& defaults) {
  std::unique_ptr<KeyRing> ring(new KeyRing(std::move(file), defaults));
  FROND_TRY(ring->refresh());
  return ring;
}

Result<bool> KeyRing::refresh() {
  const auto text = files::read_text(file_, kMaxKeyFileBytes);
  const tls::Sha256 digest = tls::sha256(text ? *text : text.error().message());
  if (digest == seen_) return false;
  seen_ = digest;
  if (!text) return text.error();
  auto entries = parse_key_file(*text);
  if (!entries) return std::move(entries).error().within(file_);

  const auto before = keys();
  const auto after = std::make_shared<Keys>();
  for (KeyEntry& entry : *entries) {
    const Limits limits{entry.limits.rate > 0 ? entry.limits.rate : defaults_.rate,
                        entry.limits.in_flight > 0 ? entry.limits.in_flight : defaults_.in_flight};
    const auto known = find(*before, entry.digest);
    auto meter = known ? known->meter : std::make_shared<Meter>();
    const auto front = front_of(entry.digest);
    after->emplace(front, std::make_shared<const Key>(Key{std::move(entry), limits, std::move(meter)}));
  }
  keys_in_use_ = after->size();
  const MutexLock lock(mutex_);
  keys_ = after;
  return true;
}

std::shared_ptr<const KeyRing::Keys> KeyRing::keys() const {
  const MutexLock lock(mutex_);
  return keys_;
}

std::shared_ptr<const Key> KeyRing::find(const Keys& keys, const tls::Sha256& digest) {
  const auto [begin, end] = keys.equal_range(front_of(digest));
  for (auto one = begin; one != end; ++one)
    if (tls::equal_in_constant_time(one->second->entry.digest, digest)) return one->second;
  return nullptr;
}

std::shared_ptr<const Key> KeyRing::find(std::string_view key) const { return find(*keys(), tls::sha256(key)); }

}  // namespace frond::keys
