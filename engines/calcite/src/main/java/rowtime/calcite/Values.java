package rowtime.calcite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.avatica.util.DateTimeUtils;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.parser.SqlParserUtil;

/** Values of the wire as Calcite's enumerable engine represents them, and the reverse. */
final class Values {
  private Values() {}

  /** A value of the wire as the engine's: of DATE days, of TIME and TIMESTAMP milliseconds, since 1970. */
  static Object fromWire(JsonNode wire, RelDataType type) {
    if (wire.isNull()) {
      return null;
    }
    String text = wire.asText();
    switch (type.getSqlTypeName()) {
      case BOOLEAN:
        return wire.asBoolean();
      case TINYINT:
        return Byte.valueOf(text);
      case SMALLINT:
        return Short.valueOf(text);
      case INTEGER:
        return Integer.valueOf(text);
      case BIGINT:
        return Long.valueOf(text);
      case DECIMAL:
        return new BigDecimal(text).setScale(type.getScale());
      case REAL:
        return Float.valueOf(text);
      case FLOAT, DOUBLE:
        return Double.valueOf(text);
      case BINARY, VARBINARY:
        return ByteString.of(text, 16);
      case DATE:
        return DateTimeUtils.dateStringToUnixDate(text);
      case TIME:
        return DateTimeUtils.timeStringToUnixDate(text);
      case TIMESTAMP:
        return DateTimeUtils.timestampStringToUnixDate(text);
      case INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH:
        return Math.toIntExact(SqlParserUtil.intervalToMonths(text, type.getIntervalQualifier()));
      case INTERVAL_DAY, INTERVAL_DAY_HOUR, INTERVAL_DAY_MINUTE, INTERVAL_DAY_SECOND, INTERVAL_HOUR,
          INTERVAL_HOUR_MINUTE, INTERVAL_HOUR_SECOND, INTERVAL_MINUTE, INTERVAL_MINUTE_SECOND, INTERVAL_SECOND:
        return SqlParserUtil.intervalToMillis(text, type.getIntervalQualifier());
      case CHAR:
        // Whoever holds the rows pads them: Calcite takes a CHAR(n) for a text of n characters.
        return text + " ".repeat(Math.max(0, type.getPrecision() - text.codePointCount(0, text.length())));
      default:
        return text;
    }
  }

  /** Adds the value of a column of the current row, counted from 1, to a row of the wire. */
  static void toWire(ResultSet result, int column, RelDataType type, ArrayNode row) throws SQLException {
    switch (type.getSqlTypeName()) {
      case BOOLEAN -> row.add(result.getBoolean(column));
      case TINYINT, SMALLINT, INTEGER, BIGINT -> row.add(result.getLong(column));
      case DECIMAL -> {
        BigDecimal value = result.getBigDecimal(column);
        row.add(value == null ? null : value.toPlainString());
      }
      case REAL -> addNumber(row, result.getFloat(column), Float.toString(result.getFloat(column)));
      case FLOAT, DOUBLE -> addNumber(row, result.getDouble(column), Double.toString(result.getDouble(column)));
      case BINARY, VARBINARY -> {
        byte[] value = result.getBytes(column);
        row.add(value == null ? null : new ByteString(value).toString());
      }
      case DATE -> row.add(DateTimeUtils.unixDateToString(result.getInt(column)));
      case TIME -> row.add(time(result.getInt(column)));
      case TIMESTAMP -> row.add(timestamp(result.getLong(column)));
      case INTERVAL_YEAR, INTERVAL_YEAR_MONTH, INTERVAL_MONTH ->
          row.add(months(result.getInt(column), type.getIntervalQualifier()));
      case INTERVAL_DAY, INTERVAL_DAY_HOUR, INTERVAL_DAY_MINUTE, INTERVAL_DAY_SECOND, INTERVAL_HOUR,
          INTERVAL_HOUR_MINUTE, INTERVAL_HOUR_SECOND, INTERVAL_MINUTE, INTERVAL_MINUTE_SECOND, INTERVAL_SECOND ->
          row.add(milliseconds(result.getLong(column), type.getIntervalQualifier()));
      default -> row.add(result.getString(column));
    }
    if (result.wasNull()) {
      row.remove(row.size() - 1);
      row.addNull();
    }
  }

  /** Adds a number, or its name if JSON has no such number. */
  private static void addNumber(ArrayNode row, double value, String text) {
    if (Double.isFinite(value)) {
      row.add(new BigDecimal(text));
    } else {
      row.add(text);
    }
  }

  private static String time(int value) {
    return DateTimeUtils.unixTimeToString(value, value % 1000 == 0 ? 0 : 3);
  }

  private static String timestamp(long value) {
    return DateTimeUtils.unixTimestampToString(value, value % 1000 == 0 ? 0 : 3);
  }

  private static String months(int value, SqlIntervalQualifier fields) {
    return withoutPlus(DateTimeUtils.intervalYearMonthToString(value, fields.timeUnitRange));
  }

  private static String milliseconds(long value, SqlIntervalQualifier fields) {
    return withoutPlus(
        DateTimeUtils.intervalDayTimeToString(value, fields.timeUnitRange, value % 1000 == 0 ? 0 : 3));
  }

  private static String withoutPlus(String interval) {
    return interval.startsWith("+") ? interval.substring(1) : interval;
  }
}
