// Xapian on the tokens and queries that ours is measured with. One thread.
//   xapian_bench index TOKENS FOLDER                     a document a line, tokens split at single spaces
//   xapian_bench search FOLDER and|or K ROUNDS QUERIES…  a query a line; a row of figures for each file
// BM25 with k1 0.9 and b 0.4, no positions, compacted to one database. A query's time is the CPU time of its thread,
// the best of ROUNDS; from the terms to the hits' numbers, without parsing the query or fetching documents.
#include <time.h>
#include <xapian.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

double thread_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Xapian's terms have at most 245 bytes: longer ones are cut, as no query has one.
std::string term_of(std::string word) {
  word.resize(std::min<std::size_t>(word.size(), 240));
  return word;
}

void index(const char* tokens, const std::string& folder) {
  {
    Xapian::WritableDatabase database(folder + ".building", Xapian::DB_CREATE_OR_OVERWRITE);
    std::ifstream in(tokens);
    for (std::string line; std::getline(in, line);) {
      Xapian::Document document;
      std::istringstream words(line);
      for (std::string word; words >> word;) document.add_term(term_of(word));
      database.add_document(document);
    }
    database.commit();
  }
  Xapian::Database(folder + ".building").compact(folder, Xapian::DBCOMPACT_NO_RENUMBER);
}

Xapian::Query query_of(const std::string& line, Xapian::Query::op op) {
  std::map<std::string, unsigned> counts;
  std::istringstream words(line);
  for (std::string word; words >> word;) ++counts[term_of(word)];
  std::vector<Xapian::Query> terms;
  for (const auto& [term, count] : counts) terms.emplace_back(term, count);
  return {op, terms.begin(), terms.end()};
}

void print(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(us.size()) - 1e-9);
    return us[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  double sum = 0;
  for (const double one : us) sum += one;
  std::printf("{\"mean\":%.3f,\"median\":%.3f,\"p95\":%.3f,\"p99\":%.3f,\"queries\":%zu}\n",
              sum / static_cast<double>(us.size()), at(0.5), at(0.95), at(0.99), us.size());
}

void search(int argc, char** argv) {
  const Xapian::Database database(argv[2]);
  const auto op = std::string(argv[3]) == "and" ? Xapian::Query::OP_AND : Xapian::Query::OP_OR;
  const auto k = static_cast<Xapian::doccount>(std::stoul(argv[4]));
  const int rounds = std::stoi(argv[5]);
  for (int file = 6; file < argc; ++file) {
    std::vector<Xapian::Query> queries;
    std::ifstream in(argv[file]);
    for (std::string line; std::getline(in, line);) queries.push_back(query_of(line, op));
    std::vector<double> best(queries.size(), std::numeric_limits<double>::max());
    for (int round = 0; round < rounds; ++round)
      for (std::size_t q = 0; q < queries.size(); ++q) {
        const double before = thread_microseconds();
        Xapian::Enquire enquire(database);
        enquire.set_weighting_scheme(
            Xapian::BM25Weight(0.9, 0, 1000, 0.4, 0));  // k3 large: repeated terms weigh double
        enquire.set_query(queries[q]);
        enquire.get_mset(0, k);
        best[q] = std::min(best[q], thread_microseconds() - before);
      }
    print(best);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 4 && std::string(argv[1]) == "index")
      index(argv[2], argv[3]);
    else if (argc >= 7 && std::string(argv[1]) == "search")
      search(argc, argv);
    else
      return 2;
    return 0;
  } catch (const Xapian::Error& error) {
    std::fprintf(stderr, "xapian_bench: %s\n", error.get_description().c_str());
    return 1;
  }
}
