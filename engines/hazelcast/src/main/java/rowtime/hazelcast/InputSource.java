package rowtime.hazelcast;

import com.hazelcast.function.FunctionEx;
import com.hazelcast.jet.Traverser;
import com.hazelcast.jet.Traversers;
import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.core.EventTimeMapper;
import com.hazelcast.jet.core.EventTimePolicy;
import com.hazelcast.jet.core.Watermark;
import com.hazelcast.jet.sql.impl.ExpressionUtil;
import com.hazelcast.sql.impl.expression.Expression;
import com.hazelcast.sql.impl.expression.ExpressionEvalContext;
import com.hazelcast.sql.impl.row.JetSqlRow;
import java.util.List;

/** Emits the rows of a feed, and, where the query has put IMPOSE_ORDER upon them, watermarks. */
final class InputSource extends AbstractProcessor {
  private final Feed feed;
  private final Expression<Boolean> filter;
  private final List<Expression<?>> projection;
  private final FunctionEx<ExpressionEvalContext, EventTimePolicy<JetSqlRow>> eventTime;

  private ExpressionEvalContext evaluation;
  private EventTimeMapper<JetSqlRow> mapper;
  private byte key;
  private long watermark = Long.MIN_VALUE;
  private Traverser<?> emitted = Traversers.empty();
  // Only the thread of the processors writes these three; the thread that answers the kit reads them.
  private volatile int place;
  private volatile int looks;
  private volatile boolean ended;

  InputSource(
      String mapping,
      Expression<Boolean> filter,
      List<Expression<?>> projection,
      FunctionEx<ExpressionEvalContext, EventTimePolicy<JetSqlRow>> eventTime) {
    this.feed = Feed.of(mapping);
    this.filter = filter;
    this.projection = projection;
    this.eventTime = eventTime;
  }

  @Override
  protected void init(Context context) {
    evaluation = ExpressionEvalContext.from(context);
    if (eventTime != null) {
      EventTimePolicy<JetSqlRow> policy = eventTime.apply(evaluation);
      mapper = new EventTimeMapper<>(policy);
      mapper.addPartitions(1);
      key = policy.wmKey();
    }
    feed.begin(this);
  }

  @Override
  public boolean complete() {
    while (emitFromTraverser(emitted)) {
      Feed.Event event = feed.get(place);
      if (event == null) {
        looks++;
        return false;
      }
      if (event instanceof Feed.End) {
        ended = true;
        return true;
      }
      place++;
      emitted = event instanceof Feed.Row row ? rows(row) : bound(((Feed.Bound) event).at());
    }
    return false;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Whether it has taken all events of its feed. */
  boolean hasReadAll() {
    return ended || place == feed.size();
  }

  /** How often it has looked for an event and found none. */
  int looks() {
    return looks;
  }

  private Traverser<?> rows(Feed.Row event) {
    JetSqlRow row = new JetSqlRow(evaluation.getSerializationService(), event.values());
    JetSqlRow found = ExpressionUtil.evaluate(filter, projection, row, evaluation);
    if (found == null) {
      return Traversers.empty();
    }
    if (mapper == null) {
      return Traversers.singleton(found);
    }
    // After a bound of the kit the mapper's own watermarks may be lower.
    return mapper
        .flatMapEvent(found, 0, EventTimeMapper.NO_NATIVE_TIME)
        .filter(each -> !(each instanceof Watermark mark) || isAhead(mark.timestamp()));
  }

  private Traverser<?> bound(long at) {
    return mapper != null && isAhead(at) ? Traversers.singleton(new Watermark(at, key)) : Traversers.empty();
  }

  private boolean isAhead(long at) {
    if (at <= watermark) {
      return false;
    }
    watermark = at;
    return true;
  }
}
