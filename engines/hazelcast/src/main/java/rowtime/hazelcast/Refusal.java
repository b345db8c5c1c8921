package rowtime.hazelcast;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.sql.HazelcastSqlException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A query that Hazelcast does not run: because it lacks something, or because it finds the query wrong. */
final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;
  private static final ObjectMapper JSON = new ObjectMapper();
  /** What stands before the message proper: a place in the text, or the part of the job that failed. */
  private static final Pattern BEFORE =
      Pattern.compile("^(?:(?:From|At) line \\d+, column \\d+(?: to line \\d+, column \\d+)?: |The Jet SQL job failed: .*(?:\\}|original error): )");
  private static final Pattern UNREAD =
      Pattern.compile("Encountered \"(.*?)\" at line.*|Incorrect syntax near the keyword '(.*?)' at line.*");
  /** Messages by which Hazelcast says that it lacks something. */
  private static final List<Pattern> MISSING =
      Stream.of(
              "(?i).*\\b(?:not|un)[ -]?supported\\b.*",
              "Function '.*' does not exist.*",
              "No match found for function signature .*",
              "Invalid number of arguments to function '(?:FLOOR|CEIL|TUMBLE|HOP)'.*",
              "Streaming aggregation is supported only for .*",
              "A stream-to-stream join must have .*",
              "For stream-to-stream join, .*",
              "The (?:right|left) side of an? .* cannot be a streaming source.*",
              "FETCH/OFFSET is only supported for .*",
              "The descriptor column type .* and the interval type .* do not match.*",
              "windowSize must be an integer multiple of slideBy.*",
              UNREAD.pattern())
          .map(each -> Pattern.compile(each, Pattern.DOTALL))
          .toList();

  private final boolean missing;

  private Refusal(String message, boolean missing) {
    super(message, null, false, false);
    this.missing = missing;
  }

  static Refusal unsupported(String reason) {
    return new Refusal(reason, true);
  }

  static Refusal of(HazelcastSqlException error) {
    String message = message(error);
    for (Pattern each : MISSING) {
      if (each.matcher(message).matches()) {
        return unsupported(reason(message));
      }
    }
    return new Refusal(message, false);
  }

  private static String message(HazelcastException error) {
    String line = String.valueOf(error.getMessage()).lines().findFirst().orElse("");
    return BEFORE.matcher(line).replaceFirst("");
  }

  /** The same words for all queries that lack the same thing. */
  private static String reason(String message) {
    Matcher unread = UNREAD.matcher(message);
    if (unread.matches()) {
      return "does not parse " + (unread.group(1) == null ? unread.group(2) : unread.group(1));
    }
    return message.replaceAll("\\. .*", "");
  }

  /** The answer {@code refused} or {@code unsupported}. */
  ObjectNode asAnswer() {
    return missing ? Main.said("unsupported").put("reason", getMessage()) : Main.said("refused").setAll(fields(getMessage()));
  }

  /** The error of a query that failed as it ran. */
  static ObjectNode ofFailure(HazelcastException error) {
    return fields(message(error));
  }

  static ObjectNode fields(String message) {
    ObjectNode fields = JSON.createObjectNode().put("code", "HAZELCAST").put("message", message).put("in_ddl", false);
    fields.putArray("at").add(0).add(0);
    return fields;
  }
}
