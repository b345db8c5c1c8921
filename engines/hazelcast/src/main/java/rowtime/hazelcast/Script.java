package rowtime.hazelcast;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the kit's DDL, folded, and writes it as Hazelcast's: a table or a stream is a mapping to what the kit feeds, and
 * a stream in order a view that imposes the order.
 */
final class Script {
  private static final String NAME = "\"[^\"]+\"|\\w+";
  private static final Pattern RELATION =
      Pattern.compile("CREATE (TABLE|STREAM) (NAME) ?\\((.*)\\)( WITH HISTORY.*)?".replace("NAME", NAME));
  private static final Pattern VIEW = Pattern.compile("CREATE (?:OR REPLACE )?VIEW (NAME) ?(\\([^)]*\\))? ?AS (.*)".replace("NAME", NAME));
  private static final Pattern COLUMN =
      Pattern.compile(
          "(NAME) (.+?)( ASCENDING.*| DESCENDING.*| NOT NULL.*| NULL| PRIMARY KEY.*)?".replace("NAME", NAME));
  private static final Pattern SLACK = Pattern.compile(" ASCENDING WITHIN (INTERVAL '[^']*' [A-Z ]+?)(?: NOT NULL)?");
  /** Longer than any case: what is in no order but that of its bounds. */
  private static final String NO_ORDER = "INTERVAL '36500' DAY(5)";

  private Script() {}

  /**
   * A table or a stream.
   *
   * @param mapping the statement that makes its mapping
   * @param order the statement that makes the view of the name, or null if the mapping has the name itself
   */
  record Relation(String name, boolean stream, List<String> types, int time, String mapping, String order) {
    /** The name of its mapping. */
    String source() {
      return order == null ? name : name + "_FED";
    }
  }

  /** A view, as Hazelcast's statement. */
  record View(String name, String statement) {}

  /** The relations and views of a script, each in the order of the script. */
  record Catalog(List<Relation> relations, List<View> views) {}

  /** What a folded script declares; {@code streaming} is whether the query after it reads streams as such. */
  static Catalog read(String script, boolean streaming) throws Refusal {
    Catalog found = new Catalog(new ArrayList<>(), new ArrayList<>());
    for (String text : parts(script.replaceAll("\\s+", " "), ';')) {
      Matcher relation = RELATION.matcher(text);
      Matcher view = VIEW.matcher(text);
      if (relation.matches()) {
        found.relations().add(relation(relation, streaming));
      } else if (view.matches()) {
        found.views().add(view(view.group(1), view.group(2), Spelling.query(view.group(3))));
      } else {
        throw Refusal.unsupported("no " + text.replaceAll("^(CREATE )?(\\w+).*", "$1$2") + " in a script of this form");
      }
    }
    return found;
  }

  private static View view(String name, String columns, String query) {
    String sql = columns == null ? query : "SELECT * FROM (" + query + ") AS T " + columns;
    return new View(name, "CREATE OR REPLACE VIEW " + name + " AS " + sql);
  }

  private static Relation relation(Matcher found, boolean streaming) throws Refusal {
    boolean stream = found.group(1).equals("STREAM");
    String name = found.group(2);
    List<String> columns = new ArrayList<>();
    List<String> types = new ArrayList<>();
    int time = -1;
    String slack = null;
    for (String text : parts(found.group(3), ',')) {
      for (String missing : List.of("PERIOD", "CHECK", "DEFAULT")) {
        if (text.matches("(?s).*\\b" + missing + "\\b.*")) {
          throw Refusal.unsupported("a mapping has no " + missing);
        }
      }
      Matcher column = COLUMN.matcher(text);
      if (!column.matches()) {
        throw Refusal.unsupported("a mapping has columns alone");
      }
      String type = Types.ofMapping(column.group(2));
      String options = column.group(3) == null ? "" : column.group(3);
      if (slack == null && type.equals("TIMESTAMP") && options.startsWith(" ASCENDING")) {
        time = columns.size();
        slack = slack(options);
      }
      columns.add(column.group(1) + " " + type);
      types.add(type);
    }
    boolean read = stream && streaming;
    String source = read && slack != null ? name + "_FED" : name;
    String mapping = "CREATE OR REPLACE MAPPING " + source + " (" + String.join(", ", columns) + ") TYPE "
        + InputConnector.TYPE + " OPTIONS ('" + InputConnector.STREAMING + "' = '" + read + "')";
    String order = source.equals(name) ? null : "CREATE OR REPLACE VIEW " + name + " AS SELECT * FROM TABLE(IMPOSE_ORDER(TABLE "
        + source + ", DESCRIPTOR(" + columns.get(time).replaceAll(" TIMESTAMP$", "") + "), " + slack + "))";
    return new Relation(name, stream, types, time, mapping, order);
  }

  private static String slack(String options) {
    if (options.contains("PUNCTUATED")) {
      return NO_ORDER;
    }
    Matcher within = SLACK.matcher(options);
    return within.matches() ? within.group(1) : "INTERVAL '0' SECOND";
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
