#include "broker/http/admission.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace frond::broker::http {

bool Admission::has_room(Kind kind) const {
  return all_ < limits_.all && (!kind.batch || batch_ < limits_.batch) && (!kind.costly || costly_ < limits_.costly);
}

void Admission::take(Kind kind) {
  ++all_;
  batch_ += kind.batch;
  costly_ += kind.costly;
}

bool Admission::try_begin(Kind kind) {
  const MutexLock lock(mutex_);
  if (!has_room(kind)) return false;
  take(kind);
  return true;
}

std::optional<Admission::Ticket> Admission::wait(Kind kind, std::function<void()> begin) {
  const MutexLock lock(mutex_);
  if (has_room(kind)) {
    take(kind);
    return {};
  }
  waiting_.push_back({++last_, kind, std::move(begin)});
  return last_;
}

void Admission::leave(Ticket ticket) {
  std::list<Waiting> left;  // destroyed without the lock
  const MutexLock lock(mutex_);
  const auto at =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.ticket == ticket; });
  if (at != waiting_.end()) left.splice(left.begin(), waiting_, at);
}

void Admission::end(Kind kind) {
  {
    const MutexLock lock(mutex_);
    FROND_CHECK(all_ > 0 && batch_ >= kind.batch && costly_ >= kind.costly);
    --all_;
    batch_ -= kind.batch;
    costly_ -= kind.costly;
    if (waiting_.empty() || giving_) return;
    giving_ = true;
  }
  give();
}

Admission::Taken Admission::taken() const {
  const MutexLock lock(mutex_);
  return {all_, batch_, costly_, waiting_.size()};
}

// `begin` may end its search at once or wait again, and other threads end theirs meanwhile: only one call is in this
// loop, which looks again after each `begin`.
void Admission::give() {
  while (const auto begin = next_to_begin()) begin();
}

// Takes a place for the first that waits and has room. Empty: there is none, and giving is over.
std::function<void()> Admission::next_to_begin() {
  const MutexLock lock(mutex_);
  auto next = waiting_.begin();
  while (next != waiting_.end() && !has_room(next->kind)) ++next;
  if (next == waiting_.end()) {
    giving_ = false;
    return {};
  }
  take(next->kind);
  auto begin = std::move(next->begin);
  waiting_.erase(next);
  return begin;
}

}  // namespace frond::broker::http
