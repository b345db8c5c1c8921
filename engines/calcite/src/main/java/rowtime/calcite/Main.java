package rowtime.calcite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Objects;

/**
 * Apache Calcite behind the kit's protocol: a request is a line of JSON on standard input, its answer a line on
 * descriptor 3.
 */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Spellings spellings;
  private Query query;

  private Main(Spellings spellings) {
    this.spellings = spellings;
  }

  /** Answers requests until {@code stop}, or the end of the input; the argument is the file of spellings. */
  public static void main(String[] arguments) throws IOException {
    Main backend = new Main(new Spellings(new File(arguments[0])));
    try (BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        OutputStream answers = new FileOutputStream("/dev/fd/3")) {
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        JsonNode request = JSON.readTree(line);
        ObjectNode answer = backend.answerOrError(request);
        answer.set("seq", request.get("seq"));
        answers.write((JSON.writeValueAsString(answer) + "\n").getBytes(StandardCharsets.UTF_8));
        answers.flush();
        if (request.get("request").asText().equals("stop")) {
          return;
        }
      }
    }
  }

  /** The answer to a request; what Calcite throws besides its own errors makes the answer {@code error}. */
  private ObjectNode answerOrError(JsonNode request) {
    try {
      return answer(request);
    } catch (Exception | StackOverflowError | AssertionError | LinkageError unexpected) {
      ObjectNode answer = said("error").put("message", unexpected.toString()).put("code", "failed");
      StringWriter trace = new StringWriter();
      unexpected.printStackTrace(new PrintWriter(trace));
      ArrayNode lines = answer.putArray("trace");
      trace.toString().lines().forEach(lines::add);
      return answer;
    }
  }

  private ObjectNode answer(JsonNode request) throws IOException, SQLException {
    switch (request.get("request").asText()) {
      case "start":
        return hello();
      case "open":
        return open(request);
      case "load":
        query.load(request.get("object").asText(), request.get("rows"));
        return said("done");
      case "rows":
        query.arrive(request.get("input").asText(), request.get("rows"));
        return said("done");
      case "end":
        if (request.get("input").isNull()) {
          query.end();
        }
        return said("done");
      case "bound", "now":
        return said("done"); // Calcite has neither: hello.json names them as gaps.
      case "poll":
        return said("output").setAll(query.poll());
      case "explain":
        return said("text").put("text", request.get("row").isNull() ? query.plan() : "");
      case "close", "stop":
        close();
        return said("done");
      default:
        throw new IllegalArgumentException("no such request: " + request);
    }
  }

  private static ObjectNode said(String answer) {
    return JSON.createObjectNode().put("answer", answer);
  }

  private static ObjectNode hello() throws IOException {
    ObjectNode hello = (ObjectNode) JSON.readTree(Main.class.getResource("hello.json"));
    return hello.put("answer", "hello").put("version", Query.calciteVersion());
  }

  private ObjectNode open(JsonNode request) throws SQLException {
    close();
    String ddl = request.get("ddl").asText();
    String asked = request.get("sql").isNull() ? null : request.get("sql").asText();
    String sql = asked == null ? null : spellings.of(ddl, asked);
    try {
      query = new Query(ddl, sql);
      return said("accepted").setAll(query.accepted());
    } catch (Refusal refusal) {
      // A place in another spelling is no place in the query that was asked.
      return said("refused").setAll((Objects.equals(sql, asked) ? refusal : refusal.withoutPlace()).asJson());
    } catch (Unsupported lack) {
      return said("unsupported").put("reason", lack.getMessage());
    }
  }

  private void close() throws SQLException {
    if (query != null) {
      query.close();
      query = null;
    }
  }
}
