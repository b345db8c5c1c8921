package rowtime.hazelcast;

import com.hazelcast.function.FunctionEx;
import com.hazelcast.jet.core.EventTimePolicy;
import com.hazelcast.jet.core.ProcessorMetaSupplier;
import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.jet.core.Vertex;
import com.hazelcast.jet.sql.impl.JetJoinInfo;
import com.hazelcast.jet.sql.impl.connector.HazelcastRexNode;
import com.hazelcast.jet.sql.impl.connector.SqlConnector;
import com.hazelcast.jet.sql.impl.schema.JetTable;
import com.hazelcast.spi.impl.NodeEngine;
import com.hazelcast.sql.impl.expression.Expression;
import com.hazelcast.sql.impl.expression.ExpressionEvalContext;
import com.hazelcast.sql.impl.optimizer.PlanObjectKey;
import com.hazelcast.sql.impl.row.JetSqlRow;
import com.hazelcast.sql.impl.schema.ConstantTableStatistics;
import com.hazelcast.sql.impl.schema.MappingField;
import com.hazelcast.sql.impl.schema.Table;
import com.hazelcast.sql.impl.schema.TableField;
import java.util.List;
import java.util.Map;

/**
 * The connector of mappings {@code TYPE Fed}, whose rows the kit feeds. Hazelcast has one source of streams, Kafka; this
 * connector stands in its place, and as that one it tells Hazelcast's EventTimeMapper of each row that passes the filter.
 */
public final class InputConnector implements SqlConnector {
  static final String TYPE = "Fed";
  static final String STREAMING = "streaming";

  @Override
  public String typeName() {
    return TYPE;
  }

  @Override
  public String defaultObjectType() {
    return "Rows";
  }

  @Override
  public List<MappingField> resolveAndValidateFields(
      NodeEngine nodes, SqlExternalResource resource, List<MappingField> fields) {
    return fields;
  }

  @Override
  public Table createTable(
      NodeEngine nodes, String schema, String name, SqlExternalResource resource, List<MappingField> fields) {
    List<TableField> columns =
        fields.stream().map(each -> new TableField(each.name(), each.type(), false)).toList();
    return new Input(this, schema, name, columns, Boolean.parseBoolean(resource.options().get(STREAMING)));
  }

  @Override
  public Vertex fullScanReader(
      DagBuildContext context,
      HazelcastRexNode filter,
      List<HazelcastRexNode> projection,
      List<Map<String, Expression<?>>> partitions,
      FunctionEx<ExpressionEvalContext, EventTimePolicy<JetSqlRow>> eventTime) {
    String name = context.getTable().getSqlName();
    Expression<Boolean> predicate = context.convertFilter(filter);
    List<Expression<?>> projections = context.convertProjection(projection);
    Feed.of(name).planScan();
    ProcessorSupplier source = ProcessorSupplier.of(() -> new InputSource(name, predicate, projections, eventTime));
    return context.getDag().newUniqueVertex(name, ProcessorMetaSupplier.forceTotalParallelismOne(source));
  }

  @Override
  public boolean isNestedLoopReaderSupported() {
    return true;
  }

  @Override
  public VertexWithInputConfig nestedLoopReader(
      DagBuildContext context, HazelcastRexNode filter, List<HazelcastRexNode> projection, JetJoinInfo join) {
    String name = context.getTable().getSqlName();
    Expression<Boolean> predicate = context.convertFilter(filter);
    List<Expression<?>> projections = context.convertProjection(projection);
    Expression<Boolean> condition = join.condition(); // JetJoinInfo itself is not serializable by Java
    boolean keepsLeft = join.isLeftOuter();
    ProcessorSupplier lookup =
        ProcessorSupplier.of(() -> new Lookup(name, predicate, projections, condition, keepsLeft));
    return new VertexWithInputConfig(
        context.getDag().newUniqueVertex(name, ProcessorMetaSupplier.forceTotalParallelismOne(lookup)));
  }

  /** A table or a stream. Its plans are not kept, since the next case may have another of its name. */
  private static final class Input extends JetTable {
    Input(SqlConnector connector, String schema, String name, List<TableField> columns, boolean streaming) {
      super(connector, columns, schema, name, new ConstantTableStatistics(100), TYPE, streaming);
    }

    @Override
    public PlanObjectKey getObjectKey() {
      return PlanObjectKey.NON_CACHEABLE_OBJECT_KEY;
    }
  }
}
