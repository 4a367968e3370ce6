#include "common/repository/leases/object_lease.h"

#include <random>
#include <utility>

#include "common/base/threads/pause.h"
#include "common/base/threads/thread_name.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/repository/leases/writer_lease.h"

namespace frond::repository {
namespace {

std::string random_id() {
  std::random_device random;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%08x%08x", random(), random());
  return hex;
}

}  // namespace

ObjectLease::ObjectLease(const objects::ObjectStore& store, std::string folder, std::string id)
    : store_(store),
      folder_(std::move(folder)),
      id_(std::move(id)),
      text_(this_process() + "\n"),
      time_(store.access().lease) {}

Result<std::unique_ptr<ObjectLease>> ObjectLease::acquire(const objects::ObjectStore& store, const std::string& folder,
                                                          const std::filesystem::path& note, const std::string& again) {
  std::unique_ptr<ObjectLease> lease(new ObjectLease(store, folder, again.empty() ? random_id() : again));
  if (again.empty() && !note.empty()) FROND_TRY(lease->replace_note(note));
  FROND_TRY(lease->write());
  FROND_TRY(lease->look(/*beginning=*/true));
  lease->conditional_ = !again.empty() || FROND_TRY(lease->obeys_conditions());
  lease->thread_ = std::jthread([raw = lease.get()](const std::stop_token& stop) { raw->renew(stop); });
  return lease;
}

ObjectLease::~ObjectLease() {
  thread_ = {};                                                   // stops it
  if (store_.has_answered()) (void)store_.remove(folder_ + id_);  // else it ends by itself
}

Result<void> ObjectLease::replace_note(const std::filesystem::path& note) const {
  constexpr std::size_t kIdLength = 16;
  const auto dead = files::read_text(note, kIdLength);
  if (dead && dead->size() == kIdLength && dead->find_first_not_of("0123456789abcdef") == dead->npos)
    FROND_TRY(store_.remove(folder_ + *dead));
  return files::write_file(note, id_);
}

Result<void> ObjectLease::write() {
  const Instant begun = clock_.now();
  FROND_TRY(store_.put(folder_ + id_, text_, {}));
  const MutexLock lock(mutex_);
  written_ = begun;
  return {};
}

// Looks for other writers. kOverloaded: there is one; kNotFound: the own object is gone.
Result<void> ObjectLease::look(bool beginning) {
  const auto list = FROND_TRY(store_.list(folder_, /*folders=*/true));
  constexpr std::int64_t kGrain = 2;  // the store's times are whole seconds
  bool there = false;
  for (const auto& object : list.objects) {
    if (object.key == folder_ + id_) {
      there = true;
      continue;
    }
    // Without the store's clock nobody can be taken for dead.
    const bool dead = list.now != 0 && list.now - object.modified > time_.count() + kGrain;
    if (dead && beginning) FROND_TRY(store_.remove(object.key));
    if (dead) continue;
    const auto who = store_.get_text(object.key, 1024);
    return Error(Code::kOverloaded, object.key + " is held: another writer of this collection is running, on " +
                                        (who ? who->text.substr(0, who->text.find('\n')) : "an unknown machine"));
  }
  if (there) return {};
  return Error(Code::kNotFound, folder_ + id_ + " is gone: another writer took this one for dead");
}

// Stores that do not know conditions ignore them, or answer with 501.
Result<bool> ObjectLease::obeys_conditions() const {
  const std::string other = text_ + "condition\n";  // not what is there
  if (FROND_TRY(store_.put(folder_ + id_, other, {.absent = true})) != objects::Put::kRefused) return false;
  return FROND_TRY(store_.put(folder_ + id_, other, {.etag = "\"00000000000000000000000000000000\""})) ==
         objects::Put::kRefused;
}

void ObjectLease::renew(const std::stop_token& stop) {
  name_this_thread("object-lease");
  for (bool lost = false; !lost && pause_for(std::chrono::milliseconds(time_) / 4, stop);) {
    auto held = look(/*beginning=*/false);
    if (held) held = write();
    // A store that does not answer may answer next time; expect_held() watches the time.
    lost = !held && (held.error().code() == Code::kOverloaded || held.error().code() == Code::kNotFound);
    const MutexLock lock(mutex_);
    if (lost) lost_ = held.error().message();
  }
}

Result<void> ObjectLease::expect_held() const {
  const MutexLock lock(mutex_);
  if (!lost_.empty()) return Error(Code::kUnavailable, "the right to write is lost: " + lost_);
  if (clock_.now() < written_ + std::chrono::milliseconds(time_) / 2) return {};
  return Error(Code::kUnavailable, "the right to write may be lost: the object store did not take its renewal in time");
}

}  // namespace frond::repository
