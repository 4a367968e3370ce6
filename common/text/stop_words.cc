#include "common/text/stop_words.h"

#include <algorithm>
#include <cstdint>

#include "common/text/token_cutter.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

constexpr StopWordList kLists[] = {
    {"none", ""},
    {"english",  // Lucene's
     "a an as at be by if in is it no of on or to and are but for not the was into such that then they "
     "this will with their there these"},
    {"danish",
     "af alle at blev da de dem den denne der deres det dette dig din du efter eller en er et for fra ham han hans "
     "har havde hende hendes her hos hun hvad hvis hvor i ikke ind jeg jer jo kan kunne man med meget men mig min "
     "mod når og også om op os over på selv sig sin skal skulle som så til ud under var ved vi vil ville vor være"},
    {"dutch",
     "aan al als bij daar dan dat de der des deze die dit door dus een en er ge had heb hebben heeft hem het hier "
     "hij hoe hun ik in is je kan me met mij mijn moet na naar niet nog nu of om omdat ons ook op over te tot u uit "
     "van voor waren was wat we wel werd wie wij zal ze zich zij zijn zo zonder zou"},
    {"finnish",
     "että ei eivät en et he heidän heitä hän hänen hänet häntä ja jo jos joka jonka jossa jota jotka kanssa kuin "
     "kun me meidän meitä mikä minkä minun minut minä mitä mukaan mutta myös ne niiden niin nämä näiden olen olet "
     "oli olivat olla olleet ollut on ovat se sekä sen sinun sinä sitä tai te teidän tämä tämän tätä vaan vai vain "
     "vaikka"},
    {"french",
     "à ai as au aux avait avec avez avoir avons c ce ces cette ceux d dans de des donc du elle elles en et eu eux "
     "il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou où par pas pour "
     "qu que qui s sa sans se ses si son sont sur t ta te tes toi ton tu un une vos votre vous y"},
    {"german",
     "aber als am an auch auf aus bei bin bis bist da damit dann das dass dem den der des dessen die dies diese "
     "diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es für hat hatte hatten hinter "
     "ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ist ja jede jeder jedes kein keine keinen mein meine mich "
     "mir mit nach nicht noch nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so über um und uns "
     "unser unter vom von vor war waren was weil wenn wer werden wie wir wird wurde wurden zu zum zur zwischen"},
    {"hungarian",
     "a az de egy el én és ez ezt ha hogy hogyan ide is itt ki le lesz lett ma maga már meg mely mert mi mint miért "
     "minden most nem ne nincs ő ők olyan ott pedig s sem te van vagy vagyok vannak volt voltak"},
    {"italian",
     "a ad ai al alla alle agli allo anche c che chi ci coi col come con contro cui d da dagli dai dal dalla dalle "
     "dallo degli dei del della delle dello di dove e ed era erano essere fra gli ha hai hanno ho i il in io l la le "
     "lei li lo loro lui ma mi mia mie miei mio ne negli nei nel nella nelle nello noi non nostra nostro o per "
     "perché più quale quando quella quelle quelli quello questa queste questi questo se sei si siamo sono su sua "
     "sue sugli sui sul sulla sulle sullo suo suoi ti tra tu tua tuo tutti tutto un una uno vi voi è"},
    {"norwegian",
     "alle at av begge ble bli da de deg dem den denne der deres det dette di din disse du eller en er et etter for "
     "fra han hans har hadde henne hennes her hos hun hva hvem hvis hvor hvordan i ikke inn jeg kan kunne man med "
     "meg men min mot må ned noe noen når og også om opp oss over på seg selv sin sitt skal skulle slik som så til "
     "ut uten var ved vi vil ville vår være vært"},
    {"polish",
     "a aby ale bo by był była było były być co czy dla do gdy gdzie go i ich ile im ja jak jako je jego jej jest "
     "jestem jeszcze już kiedy kto która które którego której który których którzy lub ma mi mnie może mu my na nad "
     "nam nas nie niż o od on ona one oni ono oraz po pod przed przez przy są się ta tak także tam te tego tej ten "
     "też to tu ty tych tylko tym u w we wy z za ze że"},
    {"portuguese",
     "a ao aos aquela aquele aquilo as até com como da das de dela dele deles depois do dos e ela elas ele eles em "
     "entre era eram essa esse esta estas este estes eu foi foram há isso isto já lhe lhes mais mas me meu minha "
     "muito na nas nem no nos nossa nosso não nós o os ou para pela pelas pelo pelos por qual quando que quem se sem "
     "ser seu seus sua suas são só também te tem tinha um uma umas uns você vocês é à às"},
    {"romanian",
     "a acea aceasta această aceea acel acela acest acesta aceste acestea acestui ai al ale am ar are as asta au ca "
     "că care cel cele cine cu cum da dar de deci decât din doar după ea ei el ele era erau este eu fi fie fost iar "
     "îi îl îmi în încă își la le lor lui mai mea meu mi nu o ori pe pentru prin s sa sale sau se si și sunt sub sus "
     "te toate tot un una unde unei unor unui va vor"},
    {"russian",
     "а без бы был была были было быть в вам вас ведь во вот все всё всех вы где да даже для до его ее её ей если "
     "есть еще ещё же за и из или им их к как ко когда кто ли либо между меня мне мы на над нам нас не него нее неё "
     "нет ни них но ну о об он она они оно от по под при про с со так также там то того тоже той том ты у уже чего "
     "чей чем что чтобы эта эти это этой этом этот я"},
    {"spanish",
     "a al algo ante antes como con contra cual cuando de del desde donde durante e el él ella ellas ellos en entre "
     "era eran es esa ese eso esta está estaba estas este esto estos fue fueron ha había hace han hasta hay la las "
     "le les lo los más me mi mí mis mucho muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero poco "
     "por porque pues que qué quien se sea ser si sí sin sobre son soy su sus también tanto te ti tiene todo tu tú "
     "tus un una uno unos y ya yo"},
    {"swedish",
     "alla allt att av blev bli då de dem den denna deras dess dessa det detta dig din du där efter ej eller en er "
     "ett för från ha hade han hans har henne hennes hon hos hur här i icke in inte jag ju kan kunde man med mellan "
     "men mig min mot mycket ni nu någon något några när och om oss på samma sedan sig sin sina sitt skulle som så "
     "till under upp ut utan vad var vara vem vi vid vilka vilken är över"},
    {"turkish",
     "acaba ama ancak aslında bana bazı belki ben benim beni bir biri biz bizim bu buna bunda bundan bunu bunun çok "
     "çünkü da daha de değil diye en gibi hem hep hepsi her hiç için ile ise ki kim mı mi mu mü nasıl ne neden "
     "nerede niye o olan olarak oldu olduğu ona onlar onu onun sanki sen senin siz sizin şu tüm var ve veya ya yani"},
};

}  // namespace

std::optional<StopWords> StopWords::named(std::string_view name) {
  const auto lists = stop_word_lists();
  const auto found = std::ranges::find(lists, name, &StopWordList::language);
  if (found == lists.end()) return std::nullopt;
  StopWords made;
  made.list_ = static_cast<std::uint8_t>(found - lists.begin());
  return made;
}

Result<StopWords> StopWords::own(std::vector<std::string> words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.empty()) return Error(Code::kInvalid, "no stop words");
  if (words.size() > kMaxOwn) return Error(Code::kInvalid, "more than " + std::to_string(kMaxOwn) + " stop words");
  std::size_t bytes = 0;
  for (const std::string& word : words) {
    if (word.empty()) return Error(Code::kInvalid, "a stop word is empty");
    if (!is_utf8(word)) return Error(Code::kInvalid, "a stop word is no UTF-8: '" + repaired_utf8(word) + "'");
    if (word.size() > kMaxTokenBytes)
      return Error(Code::kInvalid, "a stop word has more than " + std::to_string(kMaxTokenBytes) + " bytes: '" +
                                       word.substr(0, utf8_boundary(word, 40)) + "...'");
    bytes += word.size();
  }
  if (bytes > kMaxOwnBytes)
    return Error(Code::kInvalid, "stop words have more than " + std::to_string(kMaxOwnBytes) + " bytes in all");
  StopWords made;
  made.list_ = kOwn;
  made.own_ = std::make_shared<const std::vector<std::string>>(std::move(words));
  return made;
}

std::string_view StopWords::name() const { return are_own() ? "own" : stop_word_lists()[list_].language; }

std::span<const std::string> StopWords::own_words() const {
  return own_ ? std::span<const std::string>(*own_) : std::span<const std::string>();
}

std::vector<std::string> StopWords::words() const {
  if (are_own()) return *own_;
  std::vector<std::string> all;
  const std::string_view list = stop_word_lists()[list_].words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    all.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

std::span<const StopWordList> stop_word_lists() { return kLists; }

}  // namespace frond::text
