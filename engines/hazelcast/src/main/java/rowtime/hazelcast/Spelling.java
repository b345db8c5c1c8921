package rowtime.hazelcast;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts of the kit as Hazelcast reads them: names are as written there, and a query does not say that it streams. */
final class Spelling {
  private static final String QUOTED = "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"";
  private static final Pattern TOKEN = Pattern.compile(QUOTED + "|--[^\\n]*|/\\*.*?\\*/|\\w+", Pattern.DOTALL);
  private static final Pattern SELECT_STREAM = Pattern.compile(QUOTED + "|\\bSELECT\\s+STREAM\\b");
  private static final Map<String, Long> UNITS =
      Map.of(
          "SECOND", 1_000L,
          "MINUTE", 60_000L,
          "HOUR", 3_600_000L,
          "DAY", 86_400_000L,
          "MONTH", 31 * 86_400_000L,
          "YEAR", 366 * 86_400_000L);
  private static final Pattern LENGTH =
      Pattern.compile("INTERVAL\\s+'[^'\\d]*(\\d+)[^']*'\\s+(" + String.join("|", UNITS.keySet()) + ")");
  /** The columns that the window functions of Hazelcast add. */
  private static final Set<String> ADDED = Set.of("WINDOW_START", "WINDOW_END");

  private Spelling() {}

  /** The text with names and words in upper case, unless they are quoted, and without comments. */
  static String folded(String text) {
    return TOKEN.matcher(text).replaceAll(found -> Matcher.quoteReplacement(foldedToken(found.group())));
  }

  private static String foldedToken(String token) {
    if (token.startsWith("'") || token.startsWith("\"")) {
      return token;
    }
    if (token.startsWith("--") || token.startsWith("/*")) {
      return " ";
    }
    String upper = token.toUpperCase(Locale.ROOT);
    return ADDED.contains(upper) ? upper.toLowerCase(Locale.ROOT) : upper;
  }

  /** A folded query without the word STREAM, which Hazelcast does not have. */
  static String query(String folded) {
    return SELECT_STREAM
        .matcher(folded)
        .replaceAll(found -> found.group().startsWith("S") ? "SELECT" : Matcher.quoteReplacement(found.group()));
  }

  /** More milliseconds than all intervals of a folded text together: its last results are due so long after its last row. */
  static long span(String folded) {
    long span = 1;
    Matcher interval = LENGTH.matcher(folded);
    while (interval.find()) {
      span += (Long.parseLong(interval.group(1)) + 1) * UNITS.get(interval.group(2));
    }
    return span;
  }

  /** Whether SELECT STREAM stands in the folded query itself: not in parentheses, but for those it begins with. */
  static boolean isStreaming(String folded) {
    StringBuilder top = new StringBuilder();
    int depth = 0;
    for (char each : folded.replaceAll(QUOTED, "''").replaceAll("^[\\s(]+", "").toCharArray()) {
      depth += each == '(' ? 1 : each == ')' ? -1 : 0;
      if (depth <= 0) {
        top.append(each);
      }
    }
    return top.toString().matches("(?s).*\\bSELECT\\s+STREAM\\b.*");
  }
}
