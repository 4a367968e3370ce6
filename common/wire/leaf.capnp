@0xbf188b72abe231ca;
# The requests of a broker to a leaf, and the replies. Each message is one ZeroMQ frame in Cap'n Proto's stream framing
# (segment table, then segments). Fields are only ever added, and numbers are never reused; a reader ignores fields that
# it does not know. The reader checks the limits: 64 MiB a message, 512 terms, 4,096 partitions, 10,000 hits, 1,000 ordinals.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frond::wire::schema");

enum Mode { and @0; or @1; auto @2; }
enum Rank { score @0; none @1; }
enum Processor { auto @0; cpu @1; gpu @2; exhaustive @3; }
enum UnsearchedReason { deadline @0; overloaded @1; corrupt @2; unavailable @3; unknownGeneration @4; invalidQuery @5; }
enum RunReason { unknown @0; noGpu @1; gpuLost @2; requested @3; fewPostings @4; noHits @5; suited @6; freeFirst @7; stolen @8; urgent @9; inTime @10; sooner @11; gpuLeft @12; unscheduled @13; nothing @14; priors @15; noGpuRoom @16; clause @17; }
enum RunQueue { none @0; cpu @1; gpu @2; either @3; }
enum Resident { notAsked @0; no @1; yes @2; }
enum Stemmer { none @0; porter @1; english @2; byName @3; byNameWithStopWords @4; }

struct Request {
  requestId @0 :UInt64;          # chosen by the broker, echoed by the leaf
  union {
    search @1 :SearchRequest;
    fetch @2 :FetchRequest;
    hello @3 :Void;              # asks what the leaf serves; answered at any load
    cancel @4 :Void;             # stops the request with this id: no reply to either
    clauses @6 :ClauseSearch;    # only for a leaf whose hello has feature 8
  }
  broker @5 :Broker;             # with hello: the broker that sends it; older brokers leave it null
}
struct Broker {
  instance @0 :UInt64;           # random, drawn when the broker's thread starts; not 0
  name @1 :Text;                 # the broker's --node-name, for people; at most 256 bytes
  generation @2 :UInt64;         # the generation it answers searches from; 0: none yet
  content @3 :UInt64;            # … and its content
  helloMillis @4 :UInt32;        # the interval of its hellos
  needsLeaf @5 :Bool;            # no other leaf has some partition of that generation
  collection @6 :Text;           # that it asks about; older brokers leave it empty. (Not in Request: searches would grow.)
}

struct Reply {
  requestId @0 :UInt64;          # 0: no request. A hello that the leaf sends by itself when it begins to drain, or serves other generations
  union {
    search @1 :SearchReply;
    fetch @2 :FetchReply;
    hello @3 :HelloReply;
    error @4 :Text;              # the whole request is refused; says why, for people
  }
  errorReason @5 :UnsearchedReason = unavailable;  # with `error`
}

struct SearchRequest {
  generation @0 :UInt64;         # the generation whose statistics and partitions to use
  mode @1 :Mode = auto;
  processor @2 :Processor;
  profile @3 :Bool;
  depth @4 :UInt32 = 10;         # hits wanted: offset + k, 0..10,000
  autoNeeds @5 :UInt32 = 10;     # mode auto: send OR too where AND finds fewer documents than this
  budgetMicros @6 :UInt32;       # time left when the request was sent: a span, so clocks need not agree
  terms @7 :List(QueryTerm);     # distinct
  partitions @8 :List(UInt32);   # to be searched, by their numbers in the generation
  content @9 :UInt64;            # the generation's content; 0: any content with this number
  show @10 :Show;                # of this leaf's own ranking; null: the reply has no documents
  rank @11 :Rank;                # none: only for a leaf whose hello has feature 1
  bm25 @12 :Bm25;                # null: the generation's; otherwise only for a leaf whose hello has feature 2
  priorWeight @13 :UInt32 = 65536;  # of documents' static priors, 65,536 to one; at most 16 to one. Leaves that do not know it serve no generation with priors
  profileFromMicros @14 :UInt32; # the reply has profiles of partitions, and the leaf logs the search, if it takes as long; 0: if `profile` is set
  traceHigh @15 :UInt64;         # a trace's id (W3C Trace Context), for the leaf's log; both 0: none
  traceLow @16 :UInt64;
  client @17 :UInt32;            # who asks: a number of its key or address; 0: not told. Clients share the leaf's time
  weight @18 :UInt8 = 1;         # … by their weights, 1..100. Leaves that do not know them serve first who comes first
}
# A search with something that leaves without feature 8 do not know: to them it is of an unknown kind.
struct ClauseSearch {
  search @0 :SearchRequest;
  clause @1 :Text;               # JSON (http-api.md), in its normal form; not null: it is searched, and `terms` is empty
  filter @2 :Text;               # likewise: what documents have to match besides, without a score
  exactTotal @3 :Bool;           # `matches` is to be exact
  columns @4 :List(Text);        # of the documents to show, as in FetchRequest
  sort @5 :Text;                 # "year:desc:last,_order:asc"; not null: by what hits are ordered. From here on: only for a leaf whose hello has feature 16, and with a clause
  after @6 :SortPosition;        # with `sort`: only hits behind it; null: from the first
  facets @7 :Text;               # JSON (http-api.md) with values in the types of their columns; not null: what is counted
  near @8 :List(NearWord);       # words that terms of the dictionary may be like; only for a leaf whose hello has feature 64
}
struct NearWord {
  field @0 :Text;                # of text, with lists of its own; null: the lists of all text
  word @1 :Text;                 # analysed; 1..256 bytes
  edits @2 :UInt8 = 2;           # at most; 0..2
  swaps @3 :Bool = true;         # two letters in the other order are one edit
  sameLetters @4 :UInt32 = 1;    # at the beginning
  leastNearness @5 :Float32;
  leastDf @6 :UInt64 = 1;
  moreFrequent @7 :Bool;         # than the word itself
  onlyAbsent @8 :Bool;           # nothing, if some document has the word
  most @9 :UInt32 = 32;          # 1..256 of those with one edit, and of all
}
struct SortPosition {
  bytes @0 :Data;                # as Ranking.sortBytes
  ordinal @1 :UInt64;
}
struct Bm25 {
  k1 @0 :Float64;                # 0..4
  b @1 :Float64;                 # 0..1
}
# Asks for the documents of a page of the ranking in the reply to the search. For a leaf that is asked for all partitions.
struct Show {
  offset @0 :UInt32;             # rank of the page's first hit
  count @1 :UInt32;              # hits of the page; offset + count is at most the depth
  fields @2 :UInt16 = 7;         # as in FetchRequest
  explain @3 :Bool;              # the documents are to have an explanation; older leaves send none
}
struct QueryTerm {
  text @0 :Text;                 # analysed; 1..1,024 bytes
  occurrences @1 :UInt32 = 1;    # in the query, at least 1; the sum over all terms is at most 512
}

struct SearchReply {
  and @0 :Ranking;               # null where the leaf did not evaluate AND
  or @1 :Ranking;                # null where it did not evaluate OR
  unsearched @2 :List(UnsearchedPartition);  # their hits are in no ranking; empty: all were searched
  profile @3 :List(PartitionProfile);
  documents @4 :List(Document);  # of the page that `show` asks for, in its order; empty: the broker has to fetch them
  runs @5 :List(SearchRun);      # with `profile`: one for AND, one for OR
  facets @6 :List(FacetCounts);  # of each facet of the request, over all documents of the searched partitions that match (mode auto: OR)
  near @7 :List(NearTerms);      # of each word of the request, by the dictionary of the whole generation
}
struct NearTerms {
  df @0 :UInt64;                 # documents of the generation with the word itself
  terms @1 :List(NearTerm);      # the nearest first; at most 512
  whole @2 :Bool = true;         # false: more terms begin as wanted than the leaf looks at
}
struct NearTerm {
  text @0 :Text;
  df @1 :UInt64;
  edits @2 :UInt8;
}
# Counts of one facet (facet_counts.h). Buckets ascend and are not empty.
struct FacetCounts {
  withValue @0 :UInt64;          # documents
  missing @1 :UInt64;            # documents without a value
  keys @2 :List(UInt64);         # of the buckets: ordering keys of values; of ranges the bucket's number, below the first bound 0; of clauses theirs; of documents without a value 0
  words @3 :List(Text);          # of keywords, in place of keys
  counts @4 :List(UInt64);       # documents in each bucket; of percentiles values; of the number of different values: none
  values @5 :UInt64;             # of stats and count, from here on: over all values of the documents
  least @6 :UInt64 = 0xffffffffffffffff;  # ordering keys
  greatest @7 :UInt64;
  sum @8 :List(UInt64);          # in two's complement: word i has the bits from 2^(64 i − 1088) on, up to the highest word that is not 0
  nested @9 :List(FacetCounts);  # of facets in this one: those of its first bucket, then of the second …
}
struct Ranking {
  hits @0 :List(Hit);            # score descending, then ordinal ascending; at most depth. Rank none: all scores are 0
  matches @1 :UInt64;            # documents that match in the searched partitions
  exact @2 :Bool = true;         # false: matches is a lower bound; always true with rank none
  sortBytes @3 :List(Data);      # of a search with `sort`: of each hit; then hits are in their order, then ordinal ascending (wire.md)
}
struct Hit {
  ordinal @0 :UInt64;            # the document's place in the collection
  score @1 :UInt32;              # fixed point, 65,536 to one: the same whichever engine computed it
}
struct UnsearchedPartition {
  partition @0 :UInt32;
  reason @1 :UnsearchedReason;
}
struct PartitionProfile {
  partition @0 :UInt32;
  engine @1 :Text;
  queueMicros @2 :UInt64;        # waited for a worker
  listsMicros @3 :UInt64;        # fetched posting lists
  engineMicros @4 :UInt64;       # evaluated
  postings @5 :UInt64;           # decoded
}

# How a search ran in one mode (search_run.h). Unknown numbers of its enums count as the first ones.
struct SearchRun {
  mode @0 :Mode;
  onCpu @1 :Bool;                # which processors evaluated it
  onGpu @2 :Bool;
  queue @3 :RunQueue;            # where it waited
  reason @4 :RunReason;          # why it ran there
  stolen @5 :Bool;               # taken from the other processor's queue
  resident @6 :Resident;         # whether the GPU had all its lists
  k @7 :UInt32;
  partitions @8 :UInt32;
  terms @9 :UInt32;              # with a list
  postings @10 :UInt64;          # of all lists
  blocks @11 :UInt64;
  shortest @12 :UInt64;          # postings of the shortest list
  second @13 :UInt64;            # of the second shortest
  predictedCpuNanos @14 :UInt64; # 0: not predicted
  predictedGpuNanos @15 :UInt64; # what it adds to a batch of 64
  waitNanos @16 :UInt64;         # in the queue
  cpuNanos @17 :UInt64;          # the CPU's evaluation, on all threads
  batchQueries @18 :UInt32;      # of the batch that took it; 0: none did
  batchPlans @19 :UInt32;
  buildNanos @20 :UInt64;        # lists found, batch written
  transferNanos @21 :UInt64;     # launch, and the way over the bus, both directions
  kernelNanos @22 :UInt64;       # on the device
  answerNanos @23 :UInt64;       # until a worker had the hits
}

struct FetchRequest {
  generation @0 :UInt64;
  budgetMicros @1 :UInt32;
  terms @2 :List(Text);          # analysed; snippets show and mark them
  ordinals @3 :List(UInt64);     # documents of the leaf's partitions
  content @4 :UInt64;            # the generation's content; 0: any content with this number
  fields @5 :UInt16 = 7;         # wanted beside the id: title 1, url 2, snippet 4; unknown bits are ignored
  id @6 :Text;                   # not empty: the document of this id; `terms`, `ordinals` and `fields` do not count
  bodyBytes @7 :UInt32;          # … with so many bytes of its body at most; 0: as many as a leaf sends, as older leaves do
  columns @8 :List(Text);        # fields of the schema whose values are wanted, and "source"; for a leaf with feature 8
  explain @9 :ClauseSearch;      # that found them, if their scores are to be explained; older leaves pass over it
}
struct FetchReply {
  documents @0 :List(Document);  # in the order of the request; of one by id: one, or none if no partition has it
}
struct Document {
  ordinal @0 :UInt64;
  found @1 :Bool;                # false: the other fields are empty
  id @2 :Text;
  title @3 :Text;                # title, url and snippet are empty if the request does not want them
  url @4 :Text;
  snippet @5 :Text;              # plain text; matched words lie between U+0002 and U+0003
  reason @6 :UnsearchedReason = corrupt;  # if not found: why; older leaves do not say
  body @7 :Text;                 # only of a fetch by id
  truncated @8 :Bool;            # the body is longer; older leaves do not say
  columns @9 :Text;              # a JSON object of those `columns` of the request that the document has; null: none was wanted
  explanation @10 :Text;         # a JSON object: why it has its score; null: not wanted, or not to be had
}

struct HelloReply {
  collection @0 :Text;
  node @1 :Text;                 # the leaf's name: its --node-name, or host:port of its HTTP side
  version @2 :Text;
  generations @3 :List(ServedGeneration);  # ready to be searched, in the order in which they became current; at most 64
  gpu @4 :Text;                  # "off", "absent", "ready", "lost", …
  cpuThreads @5 :UInt32;
  queueDepth @6 :UInt32;         # tasks waiting now
  queueLimit @7 :UInt32;         # tasks that may wait
  hostCacheBytes @8 :UInt64;
  hostCacheLimit @9 :UInt64;     # bytes
  hostCacheHits @10 :UInt64;     # since start
  hostCacheMisses @11 :UInt64;
  detail @12 :Text;              # what is wrong, for people: a refused generation, for example
  draining @13 :Bool;            # it ends soon; then `generations` is empty
  features @14 :UInt64;          # bits: 1 knows `rank` of a search, 2 its `bm25`, 4 a fetch's `id`, 8 clauses and columns, 16 sorting and facets, 32 facets in facets and their other kinds and members, 64 words that are like one; unknown bits are ignored
  machine @15 :Text;             # what it may use of it, for people
  budgets @16 :List(Budget);     # what it takes of that; at most 256
}
struct Budget {
  flag @0 :Text;                 # that sets it
  amount @1 :UInt64;             # bytes, or how many
  bytes @2 :Bool;
  chosen @3 :Bool;               # by the leaf, since no flag was given
  device @4 :Int32 = -1;         # a GPU's number; -1: of the host
}
struct ServedGeneration {
  generation @0 :UInt64;
  partitionsTotal @1 :UInt32;    # of the generation, on all leaves
  analyzer @2 :Analyzer;
  k1 @3 :Float64 = 0.9;          # BM25: 0..4
  b @4 :Float64 = 0.4;           # 0..1
  documents @5 :UInt64;          # of the whole generation
  tokens @6 :UInt64;
  partitions @7 :List(ServedPartition);    # on this leaf
  content @8 :UInt64;            # the first 8 bytes of the manifest's checksum (manifest.md); older leaves send 0
  schema @9 :Text;               # as in the manifest; null: it has none
}
struct Analyzer {
  stemmer @0 :Stemmer;           # byName…: the next fields say; versions that do not know them refuse this number
  stopWords @1 :Bool;            # English ones
  name @2 :Text;                 # with byName…: standard2, for example
  stemmerName @3 :Text;          # with byName: as in the manifest
  foldAccents @4 :Bool;          # with byName
  stopWordList @5 :Text;         # with byNameWithStopWords: a language, if they are not one's own
  ownStopWords @6 :List(Text);   # with byNameWithStopWords
  splitCase @7 :Bool;            # with byName, of standard3
}
struct ServedPartition {
  number @0 :UInt32;             # in the generation
  base @1 :UInt64;               # ordinal = base + docID * stride
  stride @2 :UInt64 = 1;         # at least 1
  documents @3 :UInt64;
  hidden @4 :UInt64;             # how many of them the generation does not have any more
}
