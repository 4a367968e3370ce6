// Indexes JSON Lines with Lucene 8, for tests/bench/peers/index: LuceneIndex FILE FOLDER THREADS stored|unstored
// A document's fields are id, url, title, contents; analysis is the standard tokenizer, lower case, English stop words and
// Porter's stemmer, as frond-indexer's default; documents and frequencies, no positions. Merged to one segment, as
// frond-indexer publishes one partition. JSON is read by a few lines of our own, since Lucene has no parser for it.

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;

public final class LuceneIndex {
  private static final int BATCH = 256;
  private static final List<String> END = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    int threads = Integer.parseInt(arguments[2]);
    boolean stored = arguments[3].equals("stored");
    IndexWriterConfig config = new IndexWriterConfig(new English());
    config.setSimilarity(new BM25Similarity(0.9f, 0.4f));
    config.setRAMBufferSizeMB(512);
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    ArrayBlockingQueue<List<String>> batches = new ArrayBlockingQueue<>(2 * threads);
    try (FSDirectory directory = FSDirectory.open(Path.of(arguments[1]));
        IndexWriter writer = new IndexWriter(directory, config)) {
      List<Thread> workers = new ArrayList<>();
      for (int t = 0; t < threads; ++t) {
        Thread worker = new Thread(() -> work(batches, writer, stored));
        worker.start();
        workers.add(worker);
      }
      try (BufferedReader reader = Files.newBufferedReader(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
        List<String> batch = new ArrayList<>(BATCH);
        for (String line; (line = reader.readLine()) != null; ) {
          batch.add(line);
          if (batch.size() < BATCH) continue;
          batches.put(batch);
          batch = new ArrayList<>(BATCH);
        }
        batches.put(batch);
      }
      batches.put(END);
      for (Thread worker : workers) worker.join();
      writer.forceMerge(1);
      writer.commit();
      System.out.println(writer.getDocStats().numDocs);
    }
  }

  private static void work(ArrayBlockingQueue<List<String>> batches, IndexWriter writer, boolean stored) {
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.setStored(stored);
    type.freeze();
    try {
      for (List<String> batch; (batch = batches.take()) != END; )
        for (String line : batch) {
          Document document = new Document();
          document.add(new StoredField("id", member(line, "id")));
          document.add(new StoredField("url", member(line, "url")));
          document.add(new Field("title", member(line, "title"), type));
          document.add(new Field("contents", member(line, "contents"), type));
          writer.addDocument(document);
        }
      batches.put(END);
    } catch (InterruptedException | IOException failed) {
      failed.printStackTrace();
      System.exit(1);
    }
  }

  // The string that is the member's value; empty if there is none. Names occur in no value before it in these files.
  private static String member(String line, String name) {
    int at = line.indexOf("\"" + name + "\": \"");
    if (at < 0) return "";
    StringBuilder value = new StringBuilder();
    for (int i = at + name.length() + 5; i < line.length(); ++i) {
      char c = line.charAt(i);
      if (c == '"') break;
      if (c != '\\') {
        value.append(c);
        continue;
      }
      c = line.charAt(++i);
      switch (c) {
        case 'n':
          value.append('\n');
          break;
        case 't':
          value.append('\t');
          break;
        case 'r':
          value.append('\r');
          break;
        case 'b':
          value.append('\b');
          break;
        case 'f':
          value.append('\f');
          break;
        case 'u':
          value.append((char) Integer.parseInt(line.substring(i + 1, i + 5), 16));
          i += 4;
          break;
        default:
          value.append(c);
      }
    }
    return value.toString();
  }

  private static final class English extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
      StandardTokenizer tokenizer = new StandardTokenizer();
      TokenStream stream = new LowerCaseFilter(tokenizer);
      stream = new StopFilter(stream, EnglishAnalyzer.ENGLISH_STOP_WORDS_SET);
      return new TokenStreamComponents(tokenizer, new PorterStemFilter(stream));
    }
  }
}
