package rowtime.calcite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Queries that a person has written in Calcite's dialect, for cases whose text Calcite does not read. */
final class Spellings {
  private record Asked(String ddl, String sql) {}

  private final Map<Asked, String> texts = new HashMap<>();

  /** The spellings of a file: a list of objects with the texts {@code ddl}, {@code sql} and {@code text}. */
  Spellings(File file) throws IOException {
    for (JsonNode each : new ObjectMapper().readTree(file)) {
      texts.put(new Asked(each.get("ddl").asText(), each.get("sql").asText()), each.get("text").asText());
    }
  }

  /** What Calcite is asked in place of {@code sql}: mostly {@code sql} itself. */
  String of(String ddl, String sql) {
    return texts.getOrDefault(new Asked(ddl, sql), sql);
  }
}
