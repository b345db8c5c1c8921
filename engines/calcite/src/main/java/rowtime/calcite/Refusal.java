package rowtime.calcite;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParserPos;

/** The kit's form of an error of Calcite: a code, Calcite's own message, and Calcite's own place. */
final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String code;
  private final int start;
  private final int end;
  private final boolean inScript;

  /** A refusal at the code points from {@code start} until, not including, {@code end}; 0 and 0: at no place. */
  private Refusal(String code, String message, int start, int end, boolean inScript) {
    super(message, null, false, false);
    this.code = code;
    this.start = start;
    this.end = end;
    this.inScript = inScript;
  }

  /** The refusal of a text that Calcite does not parse. */
  static Refusal of(SqlParseException error, String sql) {
    CalciteContextException placed = placed(error);
    if (placed != null) {
      return at(place(placed), Codes.ofRefusal(message(placed), "SYNTAX_ERROR"), message(placed), sql);
    }
    String firstLine = error.getMessage().lines().findFirst().orElse("");
    return at(error.getPos(), Codes.ofRefusal(firstLine, "SYNTAX_ERROR"), error.getMessage(), sql);
  }

  /** The refusal of a query that Calcite's validator finds illegal; its code may be the name of Calcite's message. */
  static Refusal of(CalciteContextException error, String sql) {
    String message = message(error);
    return at(place(error), Codes.ofRefusal(message, "CALCITE"), message, sql);
  }

  /** The refusal of a statement of the script. Calcite's place is in that statement alone, so that none is given. */
  static Refusal ofScript(Throwable error) {
    CalciteContextException placed = placed(error);
    String message = placed == null ? innermost(error).toString() : message(placed);
    return new Refusal(Codes.ofRefusal(message, "NOT_SUPPORTED"), message, 0, 0, true);
  }

  /** The failure of a query that runs, or is planned. Calcite gives no place. */
  static Refusal ofFailure(Throwable error) {
    Throwable cause = innermost(error);
    return new Refusal(Codes.ofFailure(cause), cause.toString(), 0, 0, false);
  }

  private static Throwable innermost(Throwable error) {
    Throwable cause = error;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** The same refusal at no place. */
  Refusal withoutPlace() {
    return new Refusal(code, getMessage(), 0, 0, inScript);
  }

  ObjectNode asJson() {
    ObjectNode json = JSON.createObjectNode().put("code", code).put("message", getMessage()).put("in_ddl", inScript);
    json.putArray("at").add(start).add(end);
    return json;
  }

  private static Refusal at(SqlParserPos place, String code, String message, String sql) {
    int start = codePoints(sql, place.getLineNum(), place.getColumnNum() - 1);
    int end = codePoints(sql, place.getEndLineNum(), place.getEndColumnNum());
    return new Refusal(code, message, start, Math.max(start, end), false);
  }

  private static SqlParserPos place(CalciteContextException error) {
    return new SqlParserPos(
        error.getPosLine(), error.getPosColumn(), error.getEndPosLine(), error.getEndPosColumn());
  }

  private static CalciteContextException placed(Throwable error) {
    for (Throwable each = error; each != null; each = each.getCause()) {
      if (each instanceof CalciteContextException found) {
        return found;
      }
    }
    return null;
  }

  /** What is wrong, without the place that Calcite puts before it. */
  private static String message(CalciteContextException error) {
    Throwable cause = error.getCause();
    return String.valueOf((cause == null ? error : cause).getMessage());
  }

  /** How many code points of a text stand before a column, counted from 0, of a line, counted from 1; 0 without a line. */
  private static int codePoints(String text, int line, int column) {
    if (line < 1) {
      return 0;
    }
    int start = 0;
    for (int each = 1; each < line; each++) {
      start = text.indexOf('\n', start) + 1;
    }
    return text.codePointCount(0, Math.min(start + column, text.length()));
  }
}
