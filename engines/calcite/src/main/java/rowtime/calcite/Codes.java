package rowtime.calcite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.calcite.runtime.CalciteResource;
import org.apache.calcite.runtime.Resources;

/** The kit's codes of Calcite's errors. */
final class Codes {

  /** A message of Calcite, as a pattern of its whole text, and what it stands for. */
  private record Message(Pattern pattern, String code) {}

  /** Messages of the parser and the validator, by the names that CalciteResource gives them. */
  private static final List<Message> REFUSALS = refusals();

  /** What exceptions say when generated code fails: it has no codes, and few messages of Calcite's own. */
  private static final List<Message> FAILURES =
      List.of(
          failure("/ by zero|[Dd]ivide by zero|Division (by zero|undefined)", "DIVISION_BY_ZERO"),
          failure("more than one value in agg SINGLE_VALUE", "SCALAR_SUBQUERY_ROWS"),
          failure("Invalid (DATE|TIME|TIMESTAMP) value|Value of \\w+ field is out of range", "INVALID_CAST"),
          failure("NumberFormatException|Invalid character for cast", "INVALID_CAST"),
          failure("Cannot take logarithm of zero or negative number", "INVALID_ARGUMENT"),
          failure("negative substring length|LPAD/RPAD must not be negative", "INVALID_ARGUMENT"),
          failure("Invalid escape|PatternSyntaxException", "INVALID_ARGUMENT"),
          failure("the length of the string describing the trimmed character must be 1", "INVALID_ARGUMENT"),
          failure("[Oo]verflow|out of range|cannot be represented as a DECIMAL", "OVERFLOW"));

  private Codes() {}

  /** The code of a refusal; where it is not listed, the name of Calcite's message, or else {@code fallback}. */
  static String ofRefusal(String message, String fallback) {
    return REFUSALS.stream()
        .filter(each -> each.pattern.matcher(message).matches())
        .map(Message::code)
        .findFirst()
        .orElse(fallback);
  }

  /** The code of a failure at run time; where it is not listed, the name of the exception. */
  static String ofFailure(Throwable error) {
    String text = error.toString().replaceAll("\\s+", " ");
    return FAILURES.stream()
        .filter(each -> each.pattern.matcher(text).matches())
        .map(Message::code)
        .findFirst()
        .orElse(error.getClass().getSimpleName());
  }

  private static Message failure(String part, String code) {
    return new Message(Pattern.compile(".*(" + part + ").*"), code);
  }

  private static List<Message> refusals() {
    Properties codes = new Properties();
    try (InputStream file = Codes.class.getResourceAsStream("codes.properties")) {
      codes.load(file);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    List<Message> messages = new ArrayList<>();
    for (Method resource : CalciteResource.class.getMethods()) {
      Resources.BaseMessage message = resource.getAnnotation(Resources.BaseMessage.class);
      if (message != null) {
        String code = codes.getProperty(resource.getName(), resource.getName());
        messages.add(new Message(pattern(message.value()), code));
      }
    }
    // The longest pattern is the most particular: "'X' not found in table 'Y'" is also "'X' not found".
    messages.sort((a, b) -> Integer.compare(b.pattern.pattern().length(), a.pattern.pattern().length()));
    return List.copyOf(messages);
  }

  /** A template of java.text.MessageFormat as a pattern: any text may stand for a parameter. */
  private static Pattern pattern(String template) {
    String[] texts = template.replace("''", "'").split("\\{\\d[^}]*\\}", -1);
    List<String> quoted = new ArrayList<>();
    for (String text : texts) {
      quoted.add(Pattern.quote(text));
    }
    return Pattern.compile(String.join(".*", quoted), Pattern.DOTALL);
  }
}
