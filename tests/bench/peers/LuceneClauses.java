// Lucene 10 on the tokens and queries that Frond is measured with, with columns. One thread.
//   LuceneClauses index TOKENS COLUMNS FOLDER    a document a line: tokens, split at spaces; its keyword and its number
//   LuceneClauses search FOLDER KIND K ROUNDS QUERIES    a query a line, terms split at spaces; KIND, a mode and what is wanted:
//       or, and; or-exact, and-exact (the total, too); or-facets (the best, and how many have each keyword), or-facets-alone;
//       or-sorted (by the number, skipping what cannot come first), or-sorted-exact
// Prints CPU time a query, the best of ROUNDS after as many rounds that warm up.
import java.io.BufferedReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.LongField;
import org.apache.lucene.facet.FacetResult;
import org.apache.lucene.facet.FacetsCollector;
import org.apache.lucene.facet.FacetsCollectorManager;
import org.apache.lucene.facet.FacetsConfig;
import org.apache.lucene.facet.sortedset.DefaultSortedSetDocValuesReaderState;
import org.apache.lucene.facet.sortedset.SortedSetDocValuesFacetCounts;
import org.apache.lucene.facet.sortedset.SortedSetDocValuesFacetField;
import org.apache.lucene.facet.sortedset.SortedSetDocValuesReaderState;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortedNumericSelector;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;

public final class LuceneClauses {
  static final String TEXT = "text", KEYWORD = "cat", NUMBER = "year";

  static final class Spaces extends Analyzer {
    @Override protected TokenStreamComponents createComponents(String field) {
      return new TokenStreamComponents(new WhitespaceTokenizer(1024));
    }
  }

  public static void main(String[] a) throws Exception {
    if (a[0].equals("index")) index(Path.of(a[1]), Path.of(a[2]), Path.of(a[3]));
    else search(Path.of(a[1]), a[2], Integer.parseInt(a[3]), Integer.parseInt(a[4]), Path.of(a[5]));
  }

  static void index(Path tokens, Path columns, Path folder) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(new Spaces());
    config.setSimilarity(new BM25Similarity(0.9f, 0.4f)).setRAMBufferSizeMB(512);
    FieldType type = new FieldType();
    type.setTokenized(true);
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS);
    type.freeze();
    FacetsConfig facets = new FacetsConfig();
    try (FSDirectory directory = FSDirectory.open(folder); IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader lines = Files.newBufferedReader(tokens); BufferedReader values = Files.newBufferedReader(columns)) {
      for (String line; (line = lines.readLine()) != null;) {
        String[] of = values.readLine().split(" ");
        Document document = new Document();
        document.add(new Field(TEXT, line, type));
        document.add(new SortedSetDocValuesFacetField(KEYWORD, of[0]));
        document.add(new LongField(NUMBER, Long.parseLong(of[1]), Field.Store.NO));
        writer.addDocument(facets.build(document));
      }
      writer.forceMerge(1);
      writer.commit();
    }
  }

  static Query query(String line, String kind) {
    if (kind.equals("phrase")) return new PhraseQuery(TEXT, line.split(" "));
    BooleanClause.Occur usual = kind.startsWith("and") ? BooleanClause.Occur.MUST : BooleanClause.Occur.SHOULD;
    Map<String, Integer> terms = new LinkedHashMap<>();
    for (String term : line.split(" ")) terms.merge(term, 1, Integer::sum);
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    for (var term : terms.entrySet()) {
      String word = term.getKey();
      boolean must = word.startsWith("+"), not = word.startsWith("-");
      Query one = new TermQuery(new Term(TEXT, must || not ? word.substring(1) : word));
      if (term.getValue() != 1) one = new BoostQuery(one, term.getValue());
      all.add(one, must ? BooleanClause.Occur.MUST : not ? BooleanClause.Occur.MUST_NOT : usual);
    }
    return all.build();
  }

  static int run(IndexSearcher searcher, SortedSetDocValuesReaderState state, Query query, String wanted, int k)
      throws Exception {
    int counted = wanted.endsWith("exact") ? Integer.MAX_VALUE : k;
    if (wanted.startsWith("sorted")) {
      Sort sort = new Sort(LongField.newSortField(NUMBER, false, SortedNumericSelector.Type.MIN));
      return searcher.search(query, new TopFieldCollectorManager(sort, k, null, counted)).scoreDocs.length;
    }
    if (!wanted.startsWith("facets"))
      return searcher.search(query, new TopScoreDocCollectorManager(k, null, counted)).scoreDocs.length;
    FacetsCollector matches;
    if (wanted.equals("facets-alone")) matches = searcher.search(query, new FacetsCollectorManager());
    else matches = FacetsCollectorManager.search(searcher, query, k, new FacetsCollectorManager()).facetsCollector();
    FacetResult best = new SortedSetDocValuesFacetCounts(state, matches).getTopChildren(10, KEYWORD);
    return best == null ? 0 : best.value.intValue();
  }

  static void search(Path folder, String kind, int k, int rounds, Path file) throws Exception {
    String wanted = kind.contains("-") ? kind.substring(kind.indexOf('-') + 1) : "";
    try (DirectoryReader reader = DirectoryReader.open(new MMapDirectory(folder))) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(new BM25Similarity(0.9f, 0.4f));
      searcher.setQueryCache(null);
      SortedSetDocValuesReaderState state = new DefaultSortedSetDocValuesReaderState(reader, new FacetsConfig());
      List<Query> queries = new ArrayList<>();
      for (String line : Files.readAllLines(file)) if (!line.isBlank()) queries.add(query(line, kind));
      ThreadMXBean clock = ManagementFactory.getThreadMXBean();
      double[] best = new double[queries.size()];
      Arrays.fill(best, Double.MAX_VALUE);
      long hits = 0;
      int warmup = Math.max(rounds, 60_000 / best.length);  // its compiler needs so many queries
      for (int round = 0; round < warmup + rounds; ++round)
        for (int i = 0; i < best.length; ++i) {
          long before = clock.getCurrentThreadCpuTime();
          hits += run(searcher, state, queries.get(i), wanted, k);
          double us = (clock.getCurrentThreadCpuTime() - before) / 1e3;
          if (round >= warmup) best[i] = Math.min(best[i], us);
        }
      if (hits == 0) throw new IllegalStateException("no query has a hit");
      Arrays.sort(best);
      System.out.printf(Locale.ROOT, "{\"mean\": %.1f, \"median\": %.1f, \"p95\": %.1f, \"p99\": %.1f}%n",
          Arrays.stream(best).average().getAsDouble(), at(best, .5), at(best, .95), at(best, .99));
    }
  }

  static double at(double[] sorted, double share) {
    return sorted[Math.max((int) Math.ceil(share * sorted.length - 1e-9), 1) - 1];
  }
}
