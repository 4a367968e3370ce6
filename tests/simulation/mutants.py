#!/usr/bin/env python3
"""Takes mends out of a checkout, each behind FROND_MUTANT=NUMBER, to see whether the simulation notices.

usage: mutants.py CHECKOUT (a scratch one: sources are changed); then build cluster_simulation there, and run
FROND_MUTANT=9 build/release/tests/cluster_simulation --world search --runs 400. docs/resiliency.md has what came of it.
"""
import pathlib
import sys

GUARD = """#ifndef FROND_MUTANT_HERE
#define FROND_MUTANT_HERE
#include <cstdlib>
namespace frond {
inline bool mutant(int number) {
  static const char* const chosen = std::getenv("FROND_MUTANT");
  return chosen && std::atoi(chosen) == number;
}
}  // namespace frond
#endif
"""

# Number, what is wrong with it, file, text, what replaces it.
MUTANTS = [
    (1, 'degraded answers are cached', 'broker/http/search/search_service.cc',
     'if (answer.may_be_cached()) ',
     'if (frond::mutant(1) || answer.may_be_cached()) '),
    (2, 'a leaf may answer from another content of the number', 'broker/scatter/search.cc',
     'plan_.request.content = plan_.topology->content;',
     'plan_.request.content = frond::mutant(2) ? 0 : plan_.topology->content;'),
    (3, 'generations are told apart by number only', 'broker/cluster/topology.cc',
     'return GenerationId{served.generation, only_one ? *found->second.begin() : served.content};',
     'if (frond::mutant(3) && found != contents.end()) return GenerationId{served.generation, *found->second.begin()};\n      return GenerationId{served.generation, only_one ? *found->second.begin() : served.content};'),
    (4, 'the key of the cache lacks the content', 'broker/http/search/question.cc',
     'put(question.topology->content);',
     'if (!frond::mutant(4)) put(question.topology->content);'),
    (5, 'a hedged answer counts twice', 'broker/scatter/fan_out.cc',
     'for (const auto& attempt : std::exchange(group.open, {})) attempt.leaf->client->cancel(attempt.request);',
     'if (!frond::mutant(5)) for (const auto& attempt : std::exchange(group.open, {})) attempt.leaf->client->cancel(attempt.request);'),
    (6, 'leaves are not told to stop', 'broker/cluster/zmq_leaf_client.cc',
     'if (const auto cancelled = open_.take(id)) send_cancel(id);',
     'if (const auto cancelled = open_.take(id); cancelled && !frond::mutant(6)) send_cancel(id);'),
    (7, 'no other replica is asked after a failure', 'broker/scatter/fan_out.cc',
     'const bool over = group.tried.size() >= kMaxAttempts',
     'const bool over = frond::mutant(7) || group.tried.size() >= kMaxAttempts'),
    (8, 'a leaf that drains is left at once', 'broker/cluster/cluster_map.cc',
     'if (reply.draining && leaf.said) reply.generations',
     'if (!frond::mutant(8) && reply.draining && leaf.said) reply.generations'),
    (9, 'generations that brokers serve from are retired', 'leaf/generation/retained_generations.cc',
     '(i >= first || in_use(set[i], now, rules));',
     '((i >= first && !frond::mutant(9)) || in_use(set[i], now, rules));'),
    (11, 'a place is not given back by who joins after waiting', 'broker/http/search/search_service.cc',
     '  if (join(job))\n    shared_.admission.end(job->kind);',
     '  if (join(job))\n    frond::mutant(11) ? void() : shared_.admission.end(job->kind);'),
    (12, 'an evaluation goes on when its last client has left', 'broker/cache/flights.cc',
     'if (flight->waiters.empty()) empty = take',
     'if (flight->waiters.empty() && !frond::mutant(12)) empty = take'),
    (14, 'a joined evaluation may end too late or too early', 'broker/cache/flights.cc',
     'if (flight.end.unanswered >= earliest && flight.end.any <= latest &&',
     'if ((frond::mutant(14) || (flight.end.unanswered >= earliest && flight.end.any <= latest)) &&'),
    (15, 'a lost connection fails nothing', 'broker/cluster/zmq_leaf_client.cc',
     'if (open_.size() > 0) open_.fail_all(',
     'if (open_.size() > 0 && !frond::mutant(15)) open_.fail_all('),
    (16, 'a partial reply of a leaf counts as whole', 'broker/scatter/fan_out.cc',
     '      unsearched = group.held->reply.unsearched;\n',
     '      if (!frond::mutant(16)) unsearched = group.held->reply.unsearched;\n'),
    (18, 'brokers do not hear that a generation leaves', 'leaf/generation/generation_keeping.cc',
     '  leave(*set, kept);\n',
     '  if (frond::mutant(18)) return give_up(*set, kept);\n  leave(*set, kept);\n'),
    (19, 'leaves hear what a broker turns to at the next hello', 'broker/cluster/cluster_map.cc',
     'if (leaf->healthy && !is_told(*leaf)) refresh(leaf);',
     'if (leaf->healthy && !is_told(*leaf) && !frond::mutant(19)) refresh(leaf);'),
    (20, 'a generation that is wanted again is listed at the next poll', 'leaf/serve/leaf_service.cc',
     'if (wanted.number == 0) return;',
     'if (wanted.number == 0 || frond::mutant(20)) return;'),
    (31, 'gates of earlier epochs stay open', 'common/repository/leases/folder_gate.cc',
     '    if (gate == own) continue;\n',
     '    if (gate == own || frond::mutant(31)) continue;\n'),
    (32, 'a lease that was not renewed in time counts as held', 'common/repository/leases/writer_lease.cc',
     '  if (clock_.now() < renewed_ + std::chrono::milliseconds(record_.length_ms) * 3 / 4) return {};',
     '  if (frond::mutant(32) || clock_.now() < renewed_ + std::chrono::milliseconds(record_.length_ms) * 3 / 4) return {};'),
    (33, 'nobody looks again after renewing', 'common/repository/leases/writer_lease.cc',
     '  if (!written && written.error().code() != Code::kOverloaded) return written.error();\n  FROND_TRY(expect_newest());',
     '  if (!written && written.error().code() != Code::kOverloaded) return written.error();\n  if (!frond::mutant(33)) FROND_TRY(expect_newest());'),
    (34, 'who takes over does not look whether the holder renewed', 'common/repository/leases/lease_places.cc',
     '    return now && *now == last->text;\n',
     '    return frond::mutant(34) || (now && *now == last->text);\n'),
    (35, 'what a generation has is not left out of the log', 'indexer/write/operation_log.cc',
     'const Sequence published = std::max(of_this_log ? of_generation.sequence : 0, head.published);',
     'const Sequence published = std::max(of_this_log && !frond::mutant(35) ? of_generation.sequence : 0, head.published);'),
    (36, 'a collection is taken over without its last log', 'common/repository/leases/writer_lease.cc',
     'if (leaves_nothing || terms.any_log) return free;',
     'if (leaves_nothing || terms.any_log || frond::mutant(36)) return free;'),
    (37, 'an observer does not wait for the length of a lease', 'common/repository/leases/writer_lease.cc',
     'now - since_ >= std::chrono::milliseconds(record.length_ms);',
     'now - since_ >= std::chrono::milliseconds(frond::mutant(37) ? 1 : record.length_ms);'),
    (38, 'a log of another service counts from its own last number', 'indexer/write/operation_log.cc',
     'Sequence last = std::max({of_generation.sequence, forgotten, known.last});',
     'Sequence last = frond::mutant(38) ? forgotten : std::max({of_generation.sequence, forgotten, known.last});'),
    (39, 'the begin of a renewal is its end', 'common/repository/leases/writer_lease.cc',
     '  renewed_ = begun;\n  return {};\n}\n\nvoid WriterLease::release',
     '  renewed_ = frond::mutant(39) ? clock_.now() : begun;\n  return {};\n}\n\nvoid WriterLease::release'),
]


def main(root):
    failed = False
    for number, name, file, old, new in MUTANTS:
        path = pathlib.Path(root) / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            print(f"{number} ({name}) does not fit {file} any more", file=sys.stderr)
            failed = True
            continue
        if GUARD not in text:
            text = GUARD + text
        path.write_text(text.replace(old, new), encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
