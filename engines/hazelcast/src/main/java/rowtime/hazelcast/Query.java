package rowtime.hazelcast;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.sql.HazelcastSqlException;
import com.hazelcast.sql.SqlColumnMetadata;
import com.hazelcast.sql.SqlResult;
import com.hazelcast.sql.SqlRow;
import com.hazelcast.sql.SqlService;
import com.hazelcast.sql.impl.AbstractSqlResult;
import com.hazelcast.sql.impl.ResultIterator;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One query, which runs as a job from when it is opened. A streaming query is read after each step, a relational one when
 * its inputs have ended.
 */
final class Query {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SqlService engine;
  private final String sql;
  private final boolean streaming;
  private final Map<String, Script.Relation> relations = new LinkedHashMap<>();
  /** The statements that drop what the script has made, the last one first. */
  private final Deque<String> drops = new ArrayDeque<>();
  private final long span;
  private SqlResult result;
  /** The rows of the result, which are read once. */
  private ResultIterator<SqlRow> rows;
  private Progress progress;
  private long latest = Long.MIN_VALUE / 2;
  /** Why the query has failed: like Hazelcast's sources, the connector takes no row that it cannot read. */
  private ObjectNode failure;
  /** Whether the tables have ended: Hazelcast joins a stream with a table that it has read whole. */
  private boolean haveTablesEnded;
  private boolean hasEnded;
  private boolean isRead;

  /** Opens {@code query}; the script alone, if it is null, is made and judged by nothing. */
  Query(SqlService engine, String ddl, String query) throws Refusal {
    this.engine = engine;
    String folded = query == null ? null : Spelling.folded(query);
    streaming = folded != null && Spelling.isStreaming(folded);
    sql = folded == null ? null : Spelling.query(folded);
    span = Spelling.span(Spelling.folded(ddl) + " " + folded);
    try {
      Script.Catalog catalog = Script.read(Spelling.folded(ddl), streaming);
      for (Script.Relation each : catalog.relations()) {
        add(each);
      }
      for (Script.View each : catalog.views()) {
        execute(each.statement(), "DROP VIEW IF EXISTS " + each.name());
      }
      if (sql != null) {
        result = engine.execute(sql);
        rows = result.isRowSet() ? ((AbstractSqlResult) result).iterator() : null;
        progress = new Progress(relations.values().stream().map(each -> Feed.of(each.source())).toList());
      }
    } catch (HazelcastSqlException error) {
      close();
      throw Refusal.of(error);
    } catch (Refusal refusal) {
      close();
      throw refusal;
    }
  }

  private void add(Script.Relation each) {
    relations.put(each.name().replace("\"", ""), each);
    execute(each.mapping(), "DROP MAPPING IF EXISTS " + each.source());
    if (each.order() != null) {
      execute(each.order(), "DROP VIEW IF EXISTS " + each.name());
    }
  }

  private void execute(String statement, String drop) {
    engine.execute(statement).close();
    drops.push(drop);
  }

  /** The fields of the answer {@code accepted}. */
  ObjectNode accepted() {
    ObjectNode answer = JSON.createObjectNode().put("streaming", streaming);
    ArrayNode described = answer.putArray("columns");
    if (result == null || !result.isRowSet()) {
      return answer;
    }
    for (SqlColumnMetadata column : result.getRowMetadata().getColumns()) {
      described
          .addObject()
          .put("name", column.getName())
          .put("type", Types.name(column.getType()))
          .put("nullable", column.isNullable());
    }
    return answer;
  }

  /** Takes rows from before the query; those of a stream are not emitted, and imply a bound of it. */
  void load(String object, JsonNode rows) {
    Script.Relation relation = relations.get(object);
    if (!relation.stream() || !streaming) {
      arrive(object, rows);
    } else if (relation.time() >= 0) {
      rows.forEach(row -> bound(object, row.get(relation.time()).asText(), false));
    }
  }

  /** Takes rows that arrive. */
  void arrive(String input, JsonNode rows) {
    Script.Relation relation = relations.get(input);
    for (JsonNode row : rows) {
      Object[] values;
      try {
        values = Types.fromWire(row, relation.types());
      } catch (IllegalArgumentException | DateTimeException error) {
        failure = Refusal.fields("a row is not of the types of " + input + ": " + error.getMessage());
        return;
      }
      if (relation.time() >= 0 && values[relation.time()] instanceof LocalDateTime time) {
        latest = Math.max(latest, milliseconds(time));
      }
      Feed.of(relation.source()).add(new Feed.Row(values));
    }
  }

  /** Takes a bound; Hazelcast's watermark, too, is not above the rows that follow. */
  void bound(String input, String at, boolean strict) {
    long time = milliseconds(Types.timestamp(at)) + (strict ? 1 : 0);
    latest = Math.max(latest, time);
    Feed.of(relations.get(input).source()).add(new Feed.Bound(time));
  }

  private static long milliseconds(LocalDateTime time) {
    return time.toInstant(ZoneOffset.UTC).toEpochMilli();
  }

  /** Ends one input, or all if it is null. */
  void end(String input) {
    if (input != null) {
      endOf(relations.get(input));
      return;
    }
    relations.values().forEach(this::endOf);
    hasEnded = true;
  }

  /** A join gives up its rows without a match for a watermark alone, and not when its inputs complete. */
  private void endOf(Script.Relation input) {
    Feed.of(input.source()).add(new Feed.Bound(latest + span));
    Feed.of(input.source()).add(new Feed.End());
  }

  private void endTables() {
    if (!haveTablesEnded) {
      haveTablesEnded = true;
      relations.values().stream().filter(each -> !each.stream()).forEach(this::endOf);
    }
  }

  /** The fields of the answer {@code output}: the rows that the events so far have caused, and that were not read yet. */
  ObjectNode poll() {
    ObjectNode output = JSON.createObjectNode();
    if (rows == null || isRead || !(streaming || hasEnded)) {
      return output;
    }
    if (failure != null) {
      isRead = true;
      output.set("error", failure);
      return output;
    }
    if (streaming) {
      endTables();
    }
    ArrayNode found = output.putArray("rows");
    try {
      read(found);
    } catch (HazelcastException error) {
      isRead = true;
      output.set("error", Refusal.ofFailure(error));
    }
    return output;
  }

  private void read(ArrayNode found) {
    progress.countAgain();
    for (boolean isLast = false; !isLast; ) {
      boolean isWaiting = progress.isWaiting(); // asked first: what a waiting job has emitted can be read
      switch (rows.hasNext(isWaiting ? 0 : 1, TimeUnit.MILLISECONDS)) {
        case YES -> addRow(rows.next(), found);
        case DONE -> isLast = isRead = true;
        case TIMEOUT -> isLast = isWaiting;
      }
    }
  }

  private static void addRow(SqlRow row, ArrayNode found) {
    ArrayNode values = found.addArray();
    for (int column = 0; column < row.getMetadata().getColumnCount(); column++) {
      Types.toWire(row.getObject(column), values);
    }
  }

  /** The plan, as EXPLAIN shows it. */
  String plan() {
    StringBuilder plan = new StringBuilder();
    try (SqlResult lines = engine.execute("EXPLAIN " + sql)) {
      lines.forEach(line -> plan.append(line.<String>getObject(0)).append('\n'));
    }
    return plan.toString();
  }

  void close() {
    if (result != null) {
      result.close();
    }
    drops.forEach(each -> engine.execute(each).close());
    relations.values().forEach(each -> Feed.forget(each.source()));
  }
}
