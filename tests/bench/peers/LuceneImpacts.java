// Lucene 10's FeatureField on the impacts and weighted queries that Frond is measured with (`frond synth --profile
// splade`). One thread. tests/bench/peers/run does not know it: it needs Java 21 and the jar lucene-core of version 10.
//   LuceneImpacts index CIFF FOLDER             what `frond-indexer export-ciff` wrote, not compressed
//   LuceneImpacts search FOLDER K ROUNDS QUERIES   lines of NUMBER:TOKEN^WEIGHT TOKEN^WEIGHT …
// Answers are those of Frond, in the same order, if the last column is the same as that of `frond bench query`.
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.FeatureField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;

public final class LuceneImpacts {
  private static final String FIELD = "vector";
  private static final int WARM_UP = 10;  // rounds

  public static void main(String[] args) throws Exception {
    if (args[0].equals("index")) index(Path.of(args[1]), Path.of(args[2]));
    else search(Path.of(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]), Path.of(args[4]));
  }

  // A protocol buffer's bytes.
  private static final class Reader {
    private final InputStream in;
    private long left = Long.MAX_VALUE;

    Reader(InputStream in) { this.in = in; }
    boolean more() { return left > 0; }
    int read() throws IOException {
      --left;
      return in.read();
    }
    long varint() throws IOException {
      long value = 0;
      for (int shift = 0;; shift += 7) {
        int one = read();
        value |= (long) (one & 127) << shift;
        if (one < 128) return value;
      }
    }
    byte[] bytes(int count) throws IOException {
      left -= count;
      return in.readNBytes(count);
    }
    void skip(int wire) throws IOException {
      if (wire == 0) varint();
      else if (wire == 1) bytes(8);
      else bytes((int) varint());
    }
    // Begins a message inside; returns what is left behind it.
    long enter() throws IOException {
      long size = varint(), behind = left - size;
      left = size;
      return behind;
    }
    void leave(long behind) { left = behind; }
  }

  private static void index(Path ciff, Path folder) throws IOException {
    List<String> terms = new ArrayList<>();
    List<int[]> documents = new ArrayList<>();
    List<byte[]> impacts = new ArrayList<>();
    int lists = 0, count = 0;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(ciff), 1 << 20)) {
      Reader from = new Reader(in);
      long behind = from.enter();
      while (from.more()) {
        int tag = (int) from.varint();
        if (tag == (2 << 3)) lists = (int) from.varint();
        else if (tag == (3 << 3)) count = (int) from.varint();
        else from.skip(tag & 7);
      }
      from.leave(behind);
      for (int list = 0; list < lists; ++list) read(from, terms, documents, impacts);
    }
    int[] ends = new int[count + 1];
    for (int[] list : documents) for (int document : list) ++ends[document + 1];
    for (int i = 0; i < count; ++i) ends[i + 1] += ends[i];
    int[] next = ends.clone(), termOf = new int[ends[count]];
    byte[] impactOf = new byte[ends[count]];
    for (int term = 0; term < lists; ++term)
      for (int i = 0; i < documents.get(term).length; ++i) {
        int at = next[documents.get(term)[i]]++;
        termOf[at] = term;
        impactOf[at] = impacts.get(term)[i];
      }
    IndexWriterConfig config = new IndexWriterConfig().setRAMBufferSizeMB(512)
        .setOpenMode(IndexWriterConfig.OpenMode.CREATE).setMergePolicy(new LogDocMergePolicy());  // it keeps their order
    try (FSDirectory directory = FSDirectory.open(folder); IndexWriter writer = new IndexWriter(directory, config)) {
      for (int document = 0; document < count; ++document) {
        Document fields = new Document();
        for (int i = ends[document]; i < ends[document + 1]; ++i)
          fields.add(new FeatureField(FIELD, terms.get(termOf[i]), impactOf[i] & 255));
        writer.addDocument(fields);
      }
      writer.forceMerge(1);
    }
  }

  private static void read(Reader from, List<String> terms, List<int[]> documents, List<byte[]> impacts)
      throws IOException {
    long behind = from.enter();
    int[] ids = new int[0];
    byte[] values = new byte[0];
    int at = 0, last = 0;
    while (from.more()) {
      int tag = (int) from.varint();
      if (tag == (1 << 3 | 2)) {
        terms.add(new String(from.bytes((int) from.varint()), StandardCharsets.UTF_8));
      } else if (tag == (2 << 3)) {
        int df = (int) from.varint();
        ids = new int[df];
        values = new byte[df];
      } else if (tag == (4 << 3 | 2)) {
        long behindPosting = from.enter();
        while (from.more()) {
          int inner = (int) from.varint();
          if (inner == (1 << 3)) last += (int) from.varint();
          else if (inner == (2 << 3)) values[at] = (byte) from.varint();
          else from.skip(inner & 7);
        }
        from.leave(behindPosting);
        ids[at++] = last;
      } else {
        from.skip(tag & 7);
      }
    }
    from.leave(behind);
    documents.add(ids);
    impacts.add(values);
  }

  private static Query query(String line) {
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    for (String one : line.substring(line.indexOf(':') + 1).split(" ")) {
      int sign = one.lastIndexOf('^');
      float weight = Float.parseFloat(one.substring(sign + 1));
      all.add(FeatureField.newLinearQuery(FIELD, one.substring(0, sign), weight), BooleanClause.Occur.SHOULD);
    }
    return all.build();
  }

  // As tools/bench/query/query_timing.cc.
  private static long checksum(ScoreDoc[] hits) {
    long sum = hits.length;
    for (ScoreDoc hit : hits) sum = (sum ^ hit.doc) * 0x9e3779b97f4a7c15L + Math.round(hit.score * 65536.0);
    return sum;
  }

  private static void search(Path folder, int k, int rounds, Path file) throws IOException {
    try (DirectoryReader reader = DirectoryReader.open(new MMapDirectory(folder))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      List<Query> queries = new ArrayList<>();
      for (String line : Files.readAllLines(file)) queries.add(query(line));
      ThreadMXBean clock = ManagementFactory.getThreadMXBean();
      double[] best = new double[queries.size()];
      Arrays.fill(best, Double.MAX_VALUE);
      long answers = 0;
      for (int round = 0; round < WARM_UP + rounds; ++round) {
        answers = 0;
        for (int q = 0; q < best.length; ++q) {
          long before = clock.getCurrentThreadCpuTime();
          TopDocs found = searcher.search(queries.get(q), new TopScoreDocCollectorManager(k, null, k));
          long after = clock.getCurrentThreadCpuTime();
          if (round >= WARM_UP) best[q] = Math.min(best[q], (after - before) / 1e3);
          answers = (answers ^ checksum(found.scoreDocs)) * 0x9e3779b97f4a7c15L + 1;
        }
      }
      Arrays.sort(best);
      System.out.printf(Locale.ROOT, "k %d, us a query: mean %.1f median %.1f p95 %.1f p99 %.1f; %d queries, %d segments, answers %016x%n",
          k, Arrays.stream(best).average().getAsDouble(), at(best, .5), at(best, .95), at(best, .99), best.length,
          reader.leaves().size(), answers);
    }
  }

  private static double at(double[] sorted, double share) {
    return sorted[Math.max((int) Math.ceil(share * sorted.length - 1e-9), 1) - 1];
  }
}
