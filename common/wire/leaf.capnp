@0xbf188b72abe231ca;
# What a broker may ask of a leaf, and the answers: one message a ZeroMQ frame, in the standard stream framing (segment
# table, then segments). Fields are only ever added and numbers never reused; readers take what they do not know as
# absent. Limits (checked by the reader): 64 MiB a message, 512 terms, 4,096 partitions, 10,000 hits, 1,000 ordinals.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("frond::wire::schema");

enum Mode { and @0; or @1; auto @2; }
enum Processor { auto @0; cpu @1; gpu @2; exhaustive @3; }
enum Unsearched { deadline @0; overloaded @1; corrupt @2; unavailable @3; unknownGeneration @4; }
enum Stemmer { none @0; porter @1; english @2; }

struct Request {
  requestId @0 :UInt64;          # chosen by the broker, echoed by the leaf
  union {
    search @1 :SearchRequest;
    fetch @2 :FetchRequest;
    hello @3 :Void;              # who are you, what do you serve: answered at any load
    cancel @4 :Void;             # nobody waits any more for the request of this id: no reply to either
  }
  broker @5 :Broker;             # with hello: who asks; null from brokers of before
}
struct Broker {
  instance @0 :UInt64;           # drawn when the process started; not 0
  name @1 :Text;                 # host and port of its HTTP side, for people; at most 256 bytes
  generation @2 :UInt64;         # that it answers searches from; 0: none yet
  content @3 :UInt64;            # … and its content
  helloMillis @4 :UInt32;        # how often it says hello
  needsLeaf @5 :Bool;            # it knows nobody else for some partition of that generation
}

struct Reply {
  requestId @0 :UInt64;          # 0: nobody asked. A hello that the leaf sends of its own accord, when it begins to drain
  union {
    search @1 :SearchReply;
    fetch @2 :FetchReply;
    hello @3 :HelloReply;
    error @4 :Text;              # the request could not be taken at all
  }
  errorReason @5 :Unsearched = unavailable;  # with `error`: what a broker does about it
}

struct SearchRequest {
  generation @0 :UInt64;         # whose statistics and partitions to use
  mode @1 :Mode = auto;
  processor @2 :Processor;
  profile @3 :Bool;
  depth @4 :UInt32 = 10;         # hits wanted: offset + k, 0..10,000
  autoNeeds @5 :UInt32 = 10;     # mode auto: send OR too where AND finds fewer documents than this
  budgetMicros @6 :UInt32;       # time left when sent: a span, so clocks need not agree
  terms @7 :List(QueryTerm);     # distinct
  partitions @8 :List(UInt32);   # which of the generation's partitions to search
  content @9 :UInt64;            # the generation's content; 0: whatever has its number
}
struct QueryTerm {
  text @0 :Text;                 # analysed; 1..1,024 bytes
  occurrences @1 :UInt32 = 1;    # in the query, at least 1; all terms' together at most 512
}

struct SearchReply {
  and @0 :Ranking;               # null where the leaf did not evaluate AND
  or @1 :Ranking;                # null where it did not evaluate OR
  unsearched @2 :List(Missing);  # partitions asked for and skipped; empty: whole answer
  profile @3 :List(PartitionProfile);
}
struct Ranking {
  hits @0 :List(Hit);            # score descending, then ordinal ascending; at most depth
  matches @1 :UInt64;            # documents that match in the searched partitions
  exact @2 :Bool = true;         # false: matches is a lower bound
}
struct Hit {
  ordinal @0 :UInt64;            # the document's place in the collection
  score @1 :UInt32;              # fixed point, 65,536 to one: the same whichever engine computed it
}
struct Missing {
  partition @0 :UInt32;
  reason @1 :Unsearched;
}
struct PartitionProfile {
  partition @0 :UInt32;
  engine @1 :Text;
  queueMicros @2 :UInt64;        # waited for a worker
  listsMicros @3 :UInt64;        # fetched posting lists
  engineMicros @4 :UInt64;       # evaluated
  postings @5 :UInt64;           # decoded
}

struct FetchRequest {
  generation @0 :UInt64;
  budgetMicros @1 :UInt32;
  terms @2 :List(Text);          # analysed; snippets show and mark them
  ordinals @3 :List(UInt64);     # documents of the leaf's partitions
  content @4 :UInt64;            # the generation's content; 0: whatever has its number
}
struct FetchReply {
  documents @0 :List(Document);  # in the order of the request
}
struct Document {
  ordinal @0 :UInt64;
  found @1 :Bool;                # false: the other fields are empty
  id @2 :Text;
  title @3 :Text;
  url @4 :Text;
  snippet @5 :Text;              # plain text; matched words lie between U+0002 and U+0003
}

struct HelloReply {
  collection @0 :Text;
  node @1 :Text;                 # the leaf's name: its --node-name, or host:port of its HTTP side
  version @2 :Text;
  generations @3 :List(ServedGeneration);  # newest last; ready to be searched; at most 64
  gpu @4 :Text;                  # "off", "absent", "ready", "lost", …
  cpuThreads @5 :UInt32;
  queueDepth @6 :UInt32;         # tasks waiting now
  queueLimit @7 :UInt32;         # tasks that may wait
  hostCacheBytes @8 :UInt64;
  hostCacheLimit @9 :UInt64;     # bytes
  hostCacheHits @10 :UInt64;     # since start
  hostCacheMisses @11 :UInt64;
  detail @12 :Text;              # what is wrong, if anything: a refused generation, say
  draining @13 :Bool;            # it ends soon, and tells of no generations: ask others, if there are any
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
  content @8 :UInt64;            # begins the manifest's checksum (manifest.md); 0: a leaf of before, who does not say
}
struct Analyzer {
  stemmer @0 :Stemmer;
  stopWords @1 :Bool;
}
struct ServedPartition {
  number @0 :UInt32;             # in the generation
  base @1 :UInt64;               # ordinal = base + docID * stride
  stride @2 :UInt64 = 1;         # at least 1
  documents @3 :UInt64;
}
