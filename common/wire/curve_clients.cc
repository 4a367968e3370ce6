#include "common/wire/curve_clients.h"

#include <utility>

namespace frond::wire {

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
  if (!text) {
    if (!become_stale()) return false;
    text_.clear();  // so that the next contents count as changed
    return std::move(text).error();
  }
  if (*text == text_) return false;
  text_ = *std::move(text);
  auto keys = parse_curve_public_keys(text_);
  if (keys) return adopt(*std::move(keys));
  become_stale();
  return std::move(keys).error().within(path_);
}

std::shared_ptr<const CurvePublicKeys> CurveClients::keys() const {
  const MutexLock lock(mutex_);
  return keys_;
}

bool CurveClients::stale() const {
  const MutexLock lock(mutex_);
  return stale_;
}

bool CurveClients::adopt(CurvePublicKeys keys) {
  auto next = std::make_shared<const CurvePublicKeys>(std::move(keys));
  const MutexLock lock(mutex_);
  stale_ = false;
  const bool changed = *keys_ != *next;
  keys_ = std::move(next);
  return changed;
}

bool CurveClients::become_stale() {
  const MutexLock lock(mutex_);
  return !std::exchange(stale_, true);
}

}  // namespace frond::wire
