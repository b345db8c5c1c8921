import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.LogicalType;

/** Values as text, and lines of fields between tabs, escaped as in PostgreSQL's COPY. */
final class Text {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final DateTimeFormatter FRACTION = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

    private Text() {}

    /** The fields of a line; {@code \N} is null. */
    static List<String> fields(String line) {
        return Arrays.stream(line.split("\t", -1)).map(Text::unescape).collect(Collectors.toList());
    }

    /** A line of fields. */
    static String line(List<String> fields) {
        return fields.stream().map(Text::escape).collect(Collectors.joining("\t"));
    }

    private static String escape(String field) {
        if (field == null) {
            return "\\N";
        }
        return field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
    }

    private static String unescape(String field) {
        if (field.equals("\\N")) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '\\') {
                c = switch (field.charAt(++i)) {
                    case 't' -> '\t';
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    default -> '\\';
                };
            }
            text.append(c);
        }
        return text.toString();
    }

    /** The value of a type that a text stands for. */
    static Object value(String text, LogicalType type) {
        if (text == null) {
            return null;
        }
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> Boolean.valueOf(text);
            case TINYINT -> Byte.valueOf(text);
            case SMALLINT -> Short.valueOf(text);
            case INTEGER -> Integer.valueOf(text);
            case BIGINT -> Long.valueOf(text);
            case DECIMAL -> new BigDecimal(text);
            case FLOAT -> Float.valueOf(text);
            case DOUBLE -> Double.valueOf(text);
            case CHAR -> padded(text, ((CharType) type).getLength()); // Flink takes each to have that length
            case VARCHAR -> text;
            case BINARY, VARBINARY -> HexFormat.of().parseHex(text);
            case DATE -> LocalDate.parse(text);
            case TIME_WITHOUT_TIME_ZONE -> LocalTime.parse(text);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> LocalDateTime.parse(text.replace(' ', 'T'));
            default -> throw new IllegalArgumentException("no values of type " + type);
        };
    }

    private static String padded(String text, int length) {
        return text + " ".repeat(Math.max(0, length - text.codePointCount(0, text.length())));
    }

    /** The text of a value: intervals in months or in seconds, all others as the kit writes them. */
    static String text(Object value) {
        if (value == null) {
            return null;
        } else if (value instanceof BigDecimal number) {
            return number.toPlainString();
        } else if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        } else if (value instanceof LocalTime time) {
            return time(time);
        } else if (value instanceof LocalDateTime time) {
            return time.toLocalDate() + " " + time(time.toLocalTime());
        } else if (value instanceof Duration duration) {
            return BigDecimal.valueOf(duration.toMillis(), 3).toPlainString();
        } else if (value instanceof Period period) {
            return Long.toString(period.toTotalMonths());
        }
        return value.toString();
    }

    private static String time(LocalTime time) {
        return (time.getNano() < 1_000_000 ? SECONDS : FRACTION).format(time);
    }
}
