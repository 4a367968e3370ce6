#pragma once
// Keeps the leaf at the repository's current generation: looks at CURRENT when it hears of a change
// (announcement_listener.h), and at every poll besides; loads, swaps, retires.
//
// Start: the first step serves the generations that were served last from this data folder, superseded ones included,
// if the disk holds them completely. So a restarted leaf can serve while the repository is unreachable, while the
// current generation is bad, or while another shard is late.
//
// Identity: a generation is identified by its number and its content, because a rebuilt repository reuses numbers. The
// current manifest is read again at every poll, or less often if it is large (max kManifestBytesASecond).
//
// Retirement: the current generation is last in the served set, even after a rollback to a lower number. A broker
// switches to a generation only when every shard has it, so this leaf may be ahead of its brokers. A superseded
// generation is kept while a broker serves from it or from an older one, and while no broker is heard. It is retired
// - when all brokers have left it and no request has named it for the grace time,
// - after the superseded limit, in any case,
// - when the disk has no room for the next generation, if no broker serves from it and no request has named it for the
//   grace time.
// A broker may turn to a generation as long as it knows it from a leaf's list. So brokers are first told a list without
// it, and it goes on answering for kLeaving. Meanwhile it is listed again if it is asked for, or at once if a broker's
// hello says that the broker serves from it (LeafService). There is
// no such time if more than kMaxServedGenerations are served, or for the sake of room on the disk. A partition's folder
// is deleted once no query uses it.
//
// Refusal: if a generation can't be loaded, the leaf keeps serving the old one, the board's detail gives the reason,
// and the load is repeated after a delay that doubles up to a minute. Each reason is logged once. Fetched files are
// kept for the next attempt and deleted when CURRENT names another generation, so the disk holds only the served
// generations and the next one.
//
// Repair: if a file of the current generation (a partition, the term statistics, changes) is found truncated or
// unreadable, or a scrubber reports it, it is loaded again and replaced. Until then, searches that need it return an
// error; but a partition of which a file is only gone is served on.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "common/metrics/registry.h"
#include "leaf/generation/generation_loader.h"
#include "leaf/generation/retained_generations.h"
#include "leaf/generation/stoppable_thread.h"
#include "leaf/generation/stored_files.h"

namespace frond::leaf::generation {

// Above this number generations are retired early, first those from which no broker serves, and of these the ones that
// no request has named for the longest.
inline constexpr std::size_t kMaxServedGenerations = 8;
// Within this a broker hears a leaf's list, or takes the leaf for down (ClusterMap::Config).
inline constexpr std::chrono::seconds kLeaving{4};
inline constexpr std::uint64_t kManifestBytesASecond = 64 << 10;
// Between attempts to take a generation, and to mend one.
inline constexpr std::chrono::milliseconds kLongestBackOff{60'000}, kLongestMendBackOff{3'600'000};

class GenerationFollower {
 public:
  struct Options {
    std::string collection;
    std::chrono::milliseconds poll{1000};
    std::chrono::seconds grace{30};
    std::chrono::seconds superseded_limit{86'400};
    metrics::Labels labels = {};           // of its metrics, but for that of the disk
    std::function<void()> on_change = {};  // called on its thread when brokers are to be told another list
    // Called on its thread: before a loaded generation is served, with what is served now; and at each poll. The first
    // may take seconds, and asks `stopping` whether it must end.
    std::function<void(const ServedGeneration& next, const ServedSet& served, const std::function<bool()>& stopping)>
        before_serving = {};
    std::function<void(const ServedSet& served)> at_poll = {};
  };
  // All arguments passed by reference or pointer outlive this object. `registry` may be null.
  GenerationFollower(Options options, const repository::RepositorySource& source, const DataFolder& data,
                     GenerationLoader& loader, ServedBoard& board, const BrokerRoll& brokers, const Clock& clock,
                     Logger& log, metrics::Registry* registry);

  // Starts the thread. It calls step() immediately and then at every poll, and look() after look_soon().
  void start() {
    thread_.start([this] { run(); });
  }
  // A file of what is served is damaged (scrubber.h). If its bytes are wrong (kCorrupt), the partition answers no more
  // when this returns. Any thread.
  void damaged(DamagedFile file);
  // CURRENT may have changed: looks at it now, instead of at the next poll. Any thread.
  void look_soon() { thread_.wake(); }
  // False: the thread was still in a transfer after `patience`. The process may exit anyway: the next start cleans up
  // partial files.
  bool stop(std::chrono::milliseconds patience) { return thread_.stop(patience); }
  // The work of one poll. Tests call it without starting the thread.
  void step();
  // The part of it that takes a new generation.
  void look();

 private:
  void run();
  void serve_remembered();
  std::shared_ptr<const ServedGeneration> load_remembered(const std::string& text);
  void advance();
  bool hear_of_damage();
  std::string damage_of(const ServedGeneration& current) const;
  void mend();
  void take(std::shared_ptr<const ServedGeneration> generation);
  void load(const repository::Manifest& manifest, const std::string& text);
  void settle();
  Result<std::string> manifest_of(const GenerationId& id) const;
  void remember(const GenerationId& id, const std::string& manifest);
  void sweep(const repository::Manifest* wanted);
  void refuse(const GenerationId& id, const Error& why);
  void retire();
  void make_room(const repository::Manifest& wanted);
  std::vector<Standing> standing(const ServedSet& set) const;
  KeepRules rules() const { return {options_.grace, options_.superseded_limit, kMaxServedGenerations}; }
  void leave(const ServedSet& set, const std::vector<bool>& listed);
  void give_up(const ServedSet& set, const std::vector<bool>& kept);
  std::string what_is_kept() const;
  void delete_unused();
  void measure() const;

  const Options options_;
  const repository::RepositorySource& source_;
  const DataFolder& data_;
  GenerationLoader& loader_;
  ServedBoard& board_;
  const BrokerRoll& brokers_;
  const Clock& clock_;
  Logger& log_;
  metrics::Counter refused_total_, unread_total_, mended_total_;
  metrics::Gauge generation_, generations_, partitions_, documents_, superseded_age_, brokers_heard_, disk_free_,
      damaged_;
  metrics::Histogram load_time_;

  // Used only by the thread.
  Generation looked_at_ = 0;  // the generation whose manifest was read last
  Instant look_again_ = Instant::min();
  GenerationId refused_;  // number 0: none was refused, or CURRENT could not be read
  std::string refused_why_;
  // The last logged damage of the current generation (empty: none), and the time of the next repair attempt.
  std::string damage_;
  Instant mend_at_ = Instant::min();
  std::chrono::milliseconds mend_back_off_{0};
  std::chrono::milliseconds back_off_{0};
  bool begun_ = false, swept_ = false;
  std::map<GenerationId, Instant> superseded_;                         // when each was superseded
  std::map<std::string, std::weak_ptr<const OpenPartition>> retired_;  // by id; deleted when no longer open

  // What scrubbers reported and is not mended yet: by a partition's id, or a file's name.
  std::map<std::string, Error> rotten_;
  Mutex reports_mutex_;
  std::vector<DamagedFile> reports_ FROND_GUARDED_BY(reports_mutex_);

  StoppableThread thread_;  // last: ends before the other members do
};

}  // namespace frond::leaf::generation
