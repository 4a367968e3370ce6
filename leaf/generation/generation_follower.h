#pragma once
// Keeps the leaf at the repository's current generation: polls CURRENT, loads, swaps, retires.
//
// It begins with what was served last from this data folder, if the disk has it whole, superseded generations as well:
// a leaf that starts again while the repository is away, while a bad generation is current, or while another shard is
// late, serves like those that ran on.
//
// A generation is its number and its content: where a repository was made anew, a number comes again. The manifest of
// the current one is read again at every poll, as long as that is not more than kManifestBytesASecond.
//
// A generation that is current is last in the served set, whether its number went up or (rollback) down. One before it
// stays while a broker serves from it or from one still older: a broker turns to a generation when every shard has it,
// so this leaf may be far ahead of the slowest. It goes when all brokers have left it and no request has named it for
// the grace time; after the superseded limit in any case; and where the disk has no room for what comes next, if no
// broker serves from it. Its files are deleted once no query holds them. With nobody to ask, it stays.
//
// A generation that can't be loaded is refused: the old one serves on, the board's detail says why, and it is tried
// again after a time that doubles up to a minute. Logged once for each reason. What was fetched of it stays for the
// next attempt, and goes when another generation becomes current: so the disk holds what is served and what comes next.
//
// A partition of the current generation, or its term statistics, whose file the disk has spoilt since (cut short,
// unreadable) is loaded anew and takes its place; until then it is an error of the searches that ask for it.
#include <condition_variable>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "common/base/log.h"
#include "common/metrics/registry.h"
#include "leaf/generation/broker_roll.h"
#include "leaf/generation/generation_loader.h"
#include "leaf/generation/kept_generations.h"

namespace frond::leaf::generation {

inline constexpr std::size_t kMaxServedGenerations = 4;  // more are retired before their time, those first that no
                                                         // broker serves from
inline constexpr std::uint64_t kManifestBytesASecond = 64 << 10;

class GenerationFollower {
 public:
  struct Options {
    std::string collection;
    std::chrono::milliseconds poll{1000};
    std::chrono::seconds grace{30};
    std::chrono::seconds superseded_limit{86'400};
  };
  // All outlive this. `registry` may be null.
  GenerationFollower(Options options, const repository::RepositorySource& source, const DataFolder& data,
                     GenerationLoader& loader, ServedBoard& board, const BrokerRoll& brokers, const Clock& clock,
                     Logger& log, metrics::Registry* registry);
  ~GenerationFollower();

  // Starts the thread, which steps at once and then at every poll.
  void start();
  // False: the thread is still in the middle of a transfer after `patience`; the process may exit all the same, for
  // whatever it leaves is cleaned up at the next start.
  bool stop(std::chrono::milliseconds patience);
  // What the thread does at every poll; for tests, without the thread.
  void step();

 private:
  void run();
  void serve_remembered();
  std::shared_ptr<const ServedGeneration> load_remembered(const std::string& text);
  void advance();
  void mend();
  void take(std::shared_ptr<const ServedGeneration> generation);
  void load(const repository::Manifest& manifest, const std::string& text);
  void settle();
  Result<repository::Manifest> manifest_of(const GenerationId& id) const;
  void remember(const GenerationId& id, const std::string& manifest);
  void sweep(const repository::Manifest* wanted);
  void refuse(const GenerationId& id, const Error& why);
  void retire();
  void make_room(const repository::Manifest& wanted);
  std::vector<Standing> standing(const ServedSet& set) const;
  KeepRules rules() const { return {options_.grace, options_.superseded_limit, kMaxServedGenerations}; }
  void give_up(const ServedSet& set, const std::vector<bool>& kept);
  std::string what_is_kept() const;
  void delete_unused();
  void measure() const;
  bool stopping() const;

  const Options options_;
  const repository::RepositorySource& source_;
  const DataFolder& data_;
  GenerationLoader& loader_;
  ServedBoard& board_;
  const BrokerRoll& brokers_;
  const Clock& clock_;
  Logger& log_;
  metrics::Counter refused_total_, mended_total_;
  metrics::Gauge generation_, generations_, partitions_, documents_, superseded_age_, brokers_heard_, disk_free_,
      damaged_;
  metrics::Histogram load_time_;

  // The thread's own.
  Generation looked_at_ = 0;  // whose manifest was read last
  Instant look_again_ = Instant::min();
  GenerationId refused_;  // number 0: none, or CURRENT itself could not be read
  std::string refused_why_;
  // What can't be read of the current generation, as it was told, and when it is loaded anew; empty: nothing.
  std::string damage_;
  Instant mend_at_ = Instant::min();
  std::chrono::milliseconds mend_back_off_{0};
  std::chrono::milliseconds back_off_{0};
  bool begun_ = false;
  std::map<GenerationId, Instant> superseded_;                         // of the set, since when
  std::map<std::string, std::weak_ptr<const OpenPartition>> retired_;  // by id: deleted when nobody has them open

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  bool stop_ FROND_GUARDED_BY(mutex_) = false;
  bool ended_ FROND_GUARDED_BY(mutex_) = true;
  std::thread thread_;
};

}  // namespace frond::leaf::generation
