package rowtime.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.rel.RelFieldCollation.Direction;

/**
 * Reads the kit's DDL. Calcite's own DDL (the module calcite-server) has no streams, so CREATE TABLE, CREATE STREAM
 * and CREATE VIEW are read here; types, queries and all other statements stay text that Calcite parses.
 */
final class Script {
  private static final String NAME = "\"[^\"]+\"|\\w+";
  private static final Pattern RELATION =
      Pattern.compile(
          "CREATE (TABLE|STREAM) (?:(NAME)\\.)?(NAME) ?\\((.*)\\)( WITH HISTORY.*)?".replace("NAME", NAME),
          Pattern.CASE_INSENSITIVE);
  private static final Pattern VIEW =
      Pattern.compile(
          "CREATE VIEW (?:(NAME)\\.)?(NAME) ?(\\([^)]*\\))? ?AS (.*)".replace("NAME", NAME),
          Pattern.CASE_INSENSITIVE);
  private static final Pattern COLUMN =
      Pattern.compile(
          "(NAME) (.+?)( ASCENDING.*| DESCENDING.*| NOT NULL.*| PRIMARY KEY.*| CHECK.*| DEFAULT.*)?".replace("NAME", NAME),
          Pattern.CASE_INSENSITIVE);
  private static final Pattern PERIOD =
      Pattern.compile("PERIOD(?: FOR \\w+)? ?\\((.*)\\)", Pattern.CASE_INSENSITIVE);
  private static final Pattern KEY = Pattern.compile("PRIMARY KEY ?\\((.*)\\)", Pattern.CASE_INSENSITIVE);

  private Script() {}

  /** The statements of a script, in order. */
  static List<Declaration> declarations(String script) {
    List<Declaration> found = new ArrayList<>();
    for (String text : parts(oneLine(script), ';')) {
      Matcher relation = RELATION.matcher(text);
      Matcher view = VIEW.matcher(text);
      if (relation.matches()) {
        found.add(relation(relation));
      } else if (view.matches()) {
        found.add(view(view));
      } else {
        found.add(new Declaration.Other(text));
      }
    }
    return found;
  }

  private static Declaration relation(Matcher found) {
    boolean stream = found.group(1).equalsIgnoreCase("STREAM");
    List<Declaration.Column> columns = new ArrayList<>();
    List<String> period = List.of();
    List<String> key = List.of();
    for (String text : parts(found.group(4), ',')) {
      Matcher declared = PERIOD.matcher(text);
      Matcher keyed = KEY.matcher(text);
      if (declared.matches()) {
        period = names(declared.group(1));
      } else if (keyed.matches()) {
        key = names(keyed.group(1));
      } else {
        columns.add(column(text));
      }
    }
    for (String name : key) {
      columns.replaceAll(each -> each.name().equals(name) ? each.required() : each);
    }
    boolean history = !stream || found.group(5) != null;
    return new Declaration.Relation(
        folded(found.group(2)), folded(found.group(3)), stream, history, columns, period);
  }

  private static List<String> names(String list) {
    return parts(list, ',').stream().map(Script::folded).toList();
  }

  private static Declaration.Column column(String text) {
    Matcher found = COLUMN.matcher(text);
    if (!found.matches()) {
      throw new IllegalArgumentException("not a column: " + text);
    }
    String options = found.group(3) == null ? "" : found.group(3).toUpperCase(Locale.ROOT);
    boolean required = options.matches("(?s).*( NOT NULL|PRIMARY KEY|ASCENDING|DESCENDING).*");
    return new Declaration.Column(folded(found.group(1)), found.group(2), !required, order(options));
  }

  /** The order that Calcite can be told: it has no word for one with a slack, or one of punctuation. */
  private static Direction order(String options) {
    if (options.contains("WITHIN") || options.contains("PUNCTUATED")) {
      return null;
    }
    boolean strict = options.contains(" STRICT");
    if (options.contains("ASCENDING")) {
      return strict ? Direction.STRICTLY_ASCENDING : Direction.ASCENDING;
    }
    if (options.contains("DESCENDING")) {
      return strict ? Direction.STRICTLY_DESCENDING : Direction.DESCENDING;
    }
    return null;
  }

  private static Declaration view(Matcher found) {
    String columns = found.group(3);
    String query = found.group(4);
    String sql = columns == null ? query : "SELECT * FROM (" + query + ") AS t " + columns;
    return new Declaration.View(folded(found.group(1)), folded(found.group(2)), sql);
  }

  /** A name as it is catalogued: in upper case unless it is quoted. */
  private static String folded(String name) {
    if (name == null) {
      return null;
    }
    return name.startsWith("\"") ? name.substring(1, name.length() - 1) : name.toUpperCase(Locale.ROOT);
  }

  /** The script without comments, and with one blank wherever there was white space, but for texts and names. */
  private static String oneLine(String script) {
    Matcher token = Pattern.compile("'[^']*'|\"[^\"]*\"|--[^\\n]*|/\\*.*?\\*/|\\s+", Pattern.DOTALL).matcher(script);
    return token
        .replaceAll(found -> found.group().matches("(?s)['\"].*") ? Matcher.quoteReplacement(found.group()) : " ")
        .replaceAll(" {2,}", " ")
        .trim();
  }

  /** A text divided at a character that stands outside parentheses and quotes; no part is empty. */
  private static List<String> parts(String text, char divider) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    int depth = 0;
    char quote = 0;
    for (char each : (text + divider).toCharArray()) {
      if (quote != 0) {
        quote = each == quote ? 0 : quote;
      } else if (each == '\'' || each == '"') {
        quote = each;
      } else {
        depth += each == '(' ? 1 : each == ')' ? -1 : 0;
      }
      if (each == divider && depth == 0 && quote == 0) {
        parts.add(part.toString().trim());
        part.setLength(0);
      } else {
        part.append(each);
      }
    }
    parts.removeIf(String::isEmpty);
    return parts;
  }
}
