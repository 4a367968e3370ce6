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
  if (!has_room(kind)) return false;
  take(kind);
  return true;
}

Admission::Ticket Admission::wait(Kind kind, std::function<void()> begin) {
  waiting_.push_back({++last_, kind, std::move(begin)});
  return last_;
}

void Admission::leave(Ticket ticket) {
  const auto at =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.ticket == ticket; });
  if (at != waiting_.end()) waiting_.erase(at);
}

void Admission::end(Kind kind) {
  FROND_CHECK(all_ > 0 && batch_ >= kind.batch && costly_ >= kind.costly);
  --all_;
  batch_ -= kind.batch;
  costly_ -= kind.costly;
  give();
}

// `begin` may end its search at once or wait again, which calls this function again: only the outermost call loops.
void Admission::give() {
  if (std::exchange(giving_, true)) return;
  for (;;) {
    const auto next =
        std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return has_room(one.kind); });
    if (next == waiting_.end()) break;
    take(next->kind);
    const auto begin = std::move(next->begin);
    waiting_.erase(next);
    begin();
  }
  giving_ = false;
}

}  // namespace frond::broker::http
