// Lucene on the tokens and queries that ours is measured with. One thread.
//   LuceneBench index TOKENS FOLDER                       a document a line, tokens split at single spaces
//   LuceneBench search FOLDER and|or K ROUNDS QUERIES…    a query a line; a row of figures for each file
// BM25 with k1 0.9 and b 0.4, no positions, one segment, total hits counted to the threshold K only (that is Lucene's
// block-max WAND), query cache off. A query's time is the CPU time of its thread, the best of ROUNDS after WARMUP
// rounds; from the terms to the hits' numbers, without parsing the query or fetching documents.
import java.io.BufferedReader;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;

public final class LuceneBench {
  private static final int WARMUP = 10;
  private static final String FIELD = "text";

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("index")) {
      index(new File(arguments[1]), Path.of(arguments[2]));
    } else {
      search(arguments);
    }
  }

  private static final class SpaceAnalyzer extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
      Tokenizer tokenizer = new WhitespaceTokenizer(1024);
      return new TokenStreamComponents(tokenizer);
    }
  }

  private static void index(File tokens, Path folder) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(new SpaceAnalyzer());
    config.setSimilarity(new BM25Similarity(0.9f, 0.4f));
    config.setRAMBufferSizeMB(512);
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.freeze();
    try (FSDirectory directory = FSDirectory.open(folder);
        IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader reader = Files.newBufferedReader(tokens.toPath(), StandardCharsets.UTF_8)) {
      for (String line; (line = reader.readLine()) != null; ) {
        Document document = new Document();
        document.add(new Field(FIELD, line, type));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
      writer.commit();
    }
  }

  private static Query query(String line, BooleanClause.Occur occur) {
    Map<String, Integer> terms = new LinkedHashMap<>();
    for (String term : line.split(" ")) terms.merge(term, 1, Integer::sum);
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    for (Map.Entry<String, Integer> term : terms.entrySet()) {
      Query one = new TermQuery(new Term(FIELD, term.getKey()));
      builder.add(term.getValue() == 1 ? one : new BoostQuery(one, term.getValue()), occur);
    }
    return builder.build();
  }

  private static void search(String[] arguments) throws Exception {
    BooleanClause.Occur occur = arguments[2].equals("and") ? BooleanClause.Occur.MUST : BooleanClause.Occur.SHOULD;
    int k = Integer.parseInt(arguments[3]);
    int rounds = Integer.parseInt(arguments[4]);
    try (DirectoryReader reader = DirectoryReader.open(new MMapDirectory(Path.of(arguments[1])))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(new BM25Similarity(0.9f, 0.4f));
      searcher.setQueryCache(null);
      for (String file : Arrays.asList(arguments).subList(5, arguments.length)) {
        List<Query> queries = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(file))) queries.add(query(line, occur));
        print(measure(searcher, queries, k, rounds), reader.leaves().size());
      }
    }
  }

  private static double[] measure(IndexSearcher searcher, List<Query> queries, int k, int rounds) throws Exception {
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    double[] best = new double[queries.size()];
    Arrays.fill(best, Double.MAX_VALUE);
    long hits = 0;
    for (int round = 0; round < WARMUP + rounds; ++round) {
      for (int q = 0; q < best.length; ++q) {
        long before = clock.getCurrentThreadCpuTime();
        TopScoreDocCollector collector = TopScoreDocCollector.create(k, k);
        searcher.search(queries.get(q), collector);
        TopDocs found = collector.topDocs();
        long after = clock.getCurrentThreadCpuTime();
        hits += found.scoreDocs.length;
        if (round >= WARMUP) best[q] = Math.min(best[q], (after - before) / 1e3);
      }
    }
    if (hits == 0) throw new IllegalStateException("no query has a hit");
    return best;
  }

  private static void print(double[] microseconds, int segments) {
    Arrays.sort(microseconds);
    System.out.printf(
        Locale.ROOT,
        "{\"mean\":%.3f,\"median\":%.3f,\"p95\":%.3f,\"p99\":%.3f,\"queries\":%d,\"segments\":%d}%n",
        Arrays.stream(microseconds).average().getAsDouble(),
        at(microseconds, 0.5),
        at(microseconds, 0.95),
        at(microseconds, 0.99),
        microseconds.length,
        segments);
  }

  private static double at(double[] sorted, double share) {
    return sorted[Math.max((int) Math.ceil(share * sorted.length - 1e-9), 1) - 1];
  }
}
