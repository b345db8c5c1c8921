package rowtime.hazelcast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.hazelcast.sql.SqlColumnType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;

/** Types and values of the kit as Hazelcast has them, and the reverse. */
final class Types {
  private static final Map<String, String> MAPPED =
      Map.ofEntries(
          Map.entry("BOOLEAN", "BOOLEAN"),
          Map.entry("TINYINT", "TINYINT"),
          Map.entry("SMALLINT", "SMALLINT"),
          Map.entry("INTEGER", "INTEGER"),
          Map.entry("INT", "INTEGER"),
          Map.entry("BIGINT", "BIGINT"),
          Map.entry("DECIMAL", "DECIMAL"),
          Map.entry("NUMERIC", "DECIMAL"),
          Map.entry("REAL", "REAL"),
          Map.entry("FLOAT", "DOUBLE"),
          Map.entry("DOUBLE", "DOUBLE"),
          Map.entry("DOUBLE PRECISION", "DOUBLE"),
          Map.entry("VARCHAR", "VARCHAR"),
          Map.entry("CHARACTER VARYING", "VARCHAR"),
          Map.entry("DATE", "DATE"),
          Map.entry("TIME", "TIME"),
          Map.entry("TIMESTAMP", "TIMESTAMP"));
  private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final DateTimeFormatter MILLISECONDS = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

  private Types() {}

  /** The type of a column of a mapping, which has neither a precision nor a scale. */
  static String ofMapping(String declared) throws Refusal {
    String name = declared.replaceAll(" ?\\(.*\\)", "");
    String type = MAPPED.get(name);
    if (type == null) {
      throw Refusal.unsupported("no type " + name.replaceAll(" .*", ""));
    }
    return type;
  }

  /** The kit's name of a type of a result. */
  static String name(SqlColumnType type) {
    return switch (type) {
      case VARCHAR, BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, DATE, TIME -> type.name();
      case DECIMAL -> "DECIMAL(76, 38)";
      case TIMESTAMP -> "TIMESTAMP(3)";
      default -> "ANY";
    };
  }

  /** A row of the wire as Hazelcast's. */
  static Object[] fromWire(JsonNode row, List<String> types) {
    if (row.size() != types.size()) {
      throw new IllegalArgumentException("it has " + row.size() + " values");
    }
    Object[] values = new Object[row.size()];
    for (int place = 0; place < values.length; place++) {
      values[place] = fromWire(row.get(place), types.get(place));
    }
    return values;
  }

  private static Object fromWire(JsonNode wire, String type) {
    if (wire.isNull()) {
      return null;
    }
    String text = wire.asText();
    return switch (type) {
      case "BOOLEAN" -> wire.asBoolean();
      case "TINYINT" -> Byte.valueOf(text);
      case "SMALLINT" -> Short.valueOf(text);
      case "INTEGER" -> Integer.valueOf(text);
      case "BIGINT" -> Long.valueOf(text);
      case "DECIMAL" -> new BigDecimal(text);
      case "REAL" -> Float.valueOf(text);
      case "DOUBLE" -> Double.valueOf(text);
      case "DATE" -> LocalDate.parse(text);
      case "TIME" -> LocalTime.parse(text);
      case "TIMESTAMP" -> timestamp(text);
      default -> text;
    };
  }

  static LocalDateTime timestamp(String wire) {
    return LocalDateTime.parse(wire.replace(' ', 'T'));
  }

  /** Adds a value of Hazelcast to a row of the wire. */
  static void toWire(Object value, ArrayNode row) {
    if (value == null) {
      row.addNull();
    } else if (value instanceof Boolean truth) {
      row.add(truth);
    } else if (value instanceof BigDecimal number) {
      row.add(number.toPlainString());
    } else if (value instanceof Double || value instanceof Float) {
      addFloating(((Number) value).doubleValue(), value.toString(), row);
    } else if (value instanceof Number number) {
      row.add(number.longValue());
    } else if (value instanceof LocalTime time) {
      row.add(time(time));
    } else if (value instanceof LocalDateTime time) {
      row.add(time.toLocalDate() + " " + time(time.toLocalTime()));
    } else {
      row.add(value.toString());
    }
  }

  private static void addFloating(double value, String text, ArrayNode row) {
    if (Double.isFinite(value)) {
      row.add(new BigDecimal(text));
    } else {
      row.add(text);
    }
  }

  private static String time(LocalTime time) {
    return time.format(time.getNano() == 0 ? SECONDS : MILLISECONDS);
  }
}
