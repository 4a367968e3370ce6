#include "broker/http/search/text_reader.h"

#include <utility>

namespace frond::broker::http {

TextReader::TextReader(std::size_t threads) {
  if (threads > 0) turns_.emplace("read", threads, threads * kMaxSearchBody);
}

void TextReader::read(const frond::http::ClientId& client, cluster::HomeThread& home, Work work, Done done) {
  const std::size_t bytes = work.text->size();
  run(client, bytes, [&home, work = std::move(work), done = std::move(done)] {
    const auto parsed = std::make_shared<ParsedSearch>();
    if (!*work.gone) *parsed = work.parse(std::string_view(*work.text).substr(work.from));
    home.post([parsed, done] { done(*parsed); });
  });
}

void TextReader::run(const frond::http::ClientId& client, std::size_t bytes, std::function<void()> work) {
  if (ended_) return;
  turns_->add(client, bytes, [this, work = std::move(work)] {
    if (!ended_) work();
  });
}

void TextReader::join() {
  if (turns_ && !ended_.exchange(true)) turns_->join();
}

}  // namespace frond::broker::http
