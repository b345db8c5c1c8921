package rowtime.hazelcast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * Hazelcast behind the kit's protocol: a request is a line of JSON on standard input, its answer a line on
 * descriptor 3. One member, which no other joins, runs in this process.
 */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  private HazelcastInstance member;
  private Query query;

  private Main() {}

  /** Answers requests until {@code stop}, or the end of the input. */
  public static void main(String[] arguments) throws IOException {
    Main backend = new Main();
    try (BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        OutputStream answers = new FileOutputStream("/dev/fd/3")) {
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        JsonNode request = JSON.readTree(line);
        ObjectNode answer = backend.answerOrError(request);
        answer.set("seq", request.get("seq"));
        answers.write((JSON.writeValueAsString(answer) + "\n").getBytes(StandardCharsets.UTF_8));
        answers.flush();
        if (request.get("request").asText().equals("stop")) {
          break;
        }
      }
    }
    Runtime.getRuntime().halt(0); // an orderly shutdown of the member takes a second, and has nothing to save
  }

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

  private ObjectNode answer(JsonNode request) throws IOException {
    switch (request.get("request").asText()) {
      case "start":
        member = Hazelcast.newHazelcastInstance(alone());
        ObjectNode hello = (ObjectNode) JSON.readTree(Main.class.getResource("hello.json"));
        return hello.put("answer", "hello").put("version", member.getCluster().getLocalMember().getVersion().toString());
      case "open":
        return open(request);
      case "load":
        query.load(request.get("object").asText(), request.get("rows"));
        return said("done");
      case "rows":
        query.arrive(request.get("input").asText(), request.get("rows"));
        return said("done");
      case "bound":
        query.bound(request.get("input").asText(), request.get("at").asText(), request.get("strict").asBoolean());
        return said("done");
      case "end":
        query.end(request.get("input").isNull() ? null : request.get("input").asText());
        return said("done");
      case "now":
        return said("done"); // the clock is the machine's: hello.json has the gap
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

  private ObjectNode open(JsonNode request) {
    close();
    String sql = request.get("sql").isNull() ? null : request.get("sql").asText();
    try {
      query = new Query(member.getSql(), request.get("ddl").asText(), sql);
      return said("accepted").setAll(query.accepted());
    } catch (Refusal refusal) {
      return refusal.asAnswer();
    }
  }

  private void close() {
    if (query != null) {
      query.close();
      query = null;
    }
  }

  static ObjectNode said(String answer) {
    return JSON.createObjectNode().put("answer", answer);
  }

  /** A member on the loopback interface that looks for no others; one thread runs the processors of a query. */
  private static Config alone() {
    Config config = new Config();
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "none");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.partition.count", "3");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getJetConfig().setEnabled(true).setCooperativeThreadCount(1);
    return config;
  }
}
