package rowtime.hazelcast;

import com.hazelcast.jet.Traverser;
import com.hazelcast.jet.Traversers;
import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.sql.impl.ExpressionUtil;
import com.hazelcast.sql.impl.expression.Expression;
import com.hazelcast.sql.impl.expression.ExpressionEvalContext;
import com.hazelcast.sql.impl.row.JetSqlRow;
import java.util.ArrayList;
import java.util.List;

/** Joins each row of its input with the rows of a table, once the table has ended. */
final class Lookup extends AbstractProcessor {
  private final Feed feed;
  private final Expression<Boolean> filter;
  private final List<Expression<?>> projection;
  private final Expression<Boolean> condition;
  private final boolean keepsLeft;
  private final FlatMapper<JetSqlRow, JetSqlRow> matches = flatMapper(this::matches);
  private final List<JetSqlRow> table = new ArrayList<>();

  private ExpressionEvalContext evaluation;
  private int place;

  /** {@code keepsLeft} is whether a row without a match is emitted, with NULLs in the place of the table's columns. */
  Lookup(
      String mapping,
      Expression<Boolean> filter,
      List<Expression<?>> projection,
      Expression<Boolean> condition,
      boolean keepsLeft) {
    this.feed = Feed.of(mapping);
    this.filter = filter;
    this.projection = projection;
    this.condition = condition;
    this.keepsLeft = keepsLeft;
  }

  @Override
  protected void init(Context context) {
    evaluation = ExpressionEvalContext.from(context);
  }

  @Override
  protected boolean tryProcess(int ordinal, Object row) {
    return isComplete() && matches.tryProcess((JetSqlRow) row);
  }

  /** Reads the table as far as it has come. */
  private boolean isComplete() {
    for (Feed.Event event = feed.get(place); event != null; event = feed.get(place)) {
      if (event instanceof Feed.End) {
        return true;
      }
      place++;
      if (event instanceof Feed.Row row) {
        JetSqlRow read = new JetSqlRow(evaluation.getSerializationService(), row.values());
        JetSqlRow found = ExpressionUtil.evaluate(filter, projection, read, evaluation);
        if (found != null) {
          table.add(found);
        }
      }
    }
    return false;
  }

  private Traverser<JetSqlRow> matches(JetSqlRow left) {
    List<JetSqlRow> found = new ArrayList<>();
    for (JetSqlRow right : table) {
      JetSqlRow pair = ExpressionUtil.join(left, right, condition, evaluation);
      if (pair != null) {
        found.add(pair);
      }
    }
    if (found.isEmpty() && keepsLeft) {
      found.add(left.extendedRow(projection.size()));
    }
    return Traversers.traverseIterable(found);
  }
}
