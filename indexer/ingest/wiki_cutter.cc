#include "indexer/ingest/wiki_cutter.h"

#include <algorithm>

#include "indexer/ingest/header_fields.h"
#include "indexer/ingest/lines.h"
#include "indexer/ingest/tagged_cutter.h"
#include "indexer/ingest/wiki_site.h"

namespace frond::indexer::ingest {
namespace {

// Tags of pages are unmistakable wherever they stand: those in texts are escaped.
constexpr DocumentTags kPageTags = {"<page>", "</page>", "<page>", "no </page> before the end of the file",
                                    "no </page> before the next <page>"};

std::optional<SkipReason> reason_to_skip(const WikiPage& page, const WikiSite& site) {
  // Exports of schema 0.3 name no namespace, but have it in the title.
  const bool article = page.space.empty() ? site.namespace_of(page.title) == 0 : page.space == "0";
  if (!article) return SkipReason::kNamespace;
  if (page.redirect) return SkipReason::kRedirect;
  if (!page.model.empty() && page.model != "wikitext") return SkipReason::kCode;
  if (page.text.empty()) return SkipReason::kEmpty;
  return std::nullopt;
}

class WikiCutter final : public RecordCutter {
 public:
  explicit WikiCutter(std::size_t max_bytes) : pages_(tagged_cutter(kPageTags, max_bytes)) {}
  Result<std::optional<Cut>> next(ContentStream& stream) override {
    if (!site_) FROND_TRY(read_head(stream));
    Result<std::optional<Cut>> cut = pages_->next(stream);
    if (!cut || !*cut || !(*cut)->problem.empty()) return cut;
    (*cut)->site = site_;
    (*cut)->skip_because = reason_to_skip(wiki_page((*cut)->bytes), *site_);
    return cut;
  }

 private:
  Result<void> read_head(ContentStream& stream) {
    std::string head;
    while (head.size() < kMaxWikiHead) {
      const std::string_view window = FROND_TRY(stream.window());
      if (window.empty()) break;
      // Leaves the first page's tag to the cutter of pages. No line of the head begins with it in part.
      const std::size_t line = std::min(window.find('\n'), window.size() - 1) + 1;
      const std::size_t page = window.substr(0, line).find(kPageTags.begin.substr(0, 5));
      head.append(window.substr(0, std::min(page, line)));
      stream.consume(std::min(page, line));
      if (page != window.npos) break;
    }
    site_ = std::make_shared<const WikiSite>(WikiSite::parse(head));
    return {};
  }

  std::unique_ptr<RecordCutter> pages_;
  std::shared_ptr<const WikiSite> site_;
};

}  // namespace

std::unique_ptr<RecordCutter> wiki_cutter(std::size_t max_bytes) { return std::make_unique<WikiCutter>(max_bytes); }

WikiPage wiki_page(std::string_view page) {
  const std::size_t first = std::min(page.find("<revision"), page.size());
  const std::string_view head = page.substr(0, first);
  const std::size_t last = page.rfind("<revision");
  const std::string_view revision = page.substr(std::min(last, page.size()));
  WikiPage found;
  found.title = trimmed(xml_element(head, "title"));
  found.space = trimmed(xml_element(head, "ns"));
  found.id = trimmed(xml_element(head, "id"));
  const std::size_t text = std::min(revision.find("<text"), revision.size());
  found.model = trimmed(xml_element(revision.substr(0, text), "model"));
  found.text = trimmed(xml_element(revision.substr(text), "text"));
  constexpr std::string_view kRedirect = "#redirect";
  found.redirect =
      head.find("<redirect") != head.npos ||
      (found.text.size() > kRedirect.size() && same_name(found.text.substr(0, kRedirect.size()), kRedirect));
  return found;
}

}  // namespace frond::indexer::ingest
