package rowtime.calcite;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.java.AbstractQueryableTable;
import org.apache.calcite.linq4j.Enumerable;
import org.apache.calcite.linq4j.Enumerator;
import org.apache.calcite.linq4j.Linq4j;
import org.apache.calcite.linq4j.QueryProvider;
import org.apache.calcite.linq4j.Queryable;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptTable;
import org.apache.calcite.prepare.Prepare;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableModify;
import org.apache.calcite.rel.logical.LogicalTableModify;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.schema.ModifiableTable;
import org.apache.calcite.schema.ScannableTable;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.StreamableTable;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.TemporalTable;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.schema.impl.AbstractTableQueryable;

/** A table or stream of the script: its rows, and the tables of Calcite that show them. */
final class Input {
  private final Declaration.Relation declared;
  private final RelDataType rowType;
  private final List<Object[]> past = new ArrayList<>();
  private final List<Object[]> arrived = new ArrayList<>();

  Input(Declaration.Relation declared, RelDataType rowType) {
    this.declared = declared;
    this.rowType = rowType;
  }

  RelDataType rowType() {
    return rowType;
  }

  /** Adds a row from before the query: of a table, or of a stream's history. */
  void load(Object[] row) {
    past.add(row);
  }

  /** Adds a row that arrives while the query runs. */
  void arrive(Object[] row) {
    (declared.stream() ? arrived : past).add(row);
  }

  /**
   * What Calcite is shown. A table of Calcite can be read as a stream or as a relation, never as both
   * (RelOptTableImpl.supportsModality), so a stream with a history is what the query asks for.
   */
  Table asTable(boolean streaming) {
    if (declared.stream() && (streaming || !declared.history())) {
      return new Stream();
    }
    return declared.period().isEmpty() ? new Stored() : new Versioned();
  }

  private List<Object[]> allRows() {
    List<Object[]> rows = new ArrayList<>(past);
    rows.addAll(arrived);
    return rows;
  }

  /** The declared orders, of which each holds by itself. */
  private Statistic statistic() {
    List<RelCollation> orders = new ArrayList<>();
    for (int place = 0; place < declared.columns().size(); place++) {
      RelFieldCollation.Direction order = declared.columns().get(place).order();
      if (order != null) {
        orders.add(RelCollations.of(new RelFieldCollation(place, order)));
      }
    }
    return Statistics.of(null, null, null, orders);
  }

  private RelDataType rowType(RelDataTypeFactory types) {
    RelDataTypeFactory.Builder columns = types.builder();
    for (RelDataTypeField field : rowType.getFieldList()) {
      columns.add(field.getName(), types.copyType(field.getType()));
    }
    return columns.build();
  }

  /** Rows that Calcite scans. */
  private abstract class Rows extends AbstractTable implements ScannableTable {
    @Override
    public RelDataType getRowType(RelDataTypeFactory types) {
      return rowType(types);
    }

    @Override
    public Statistic getStatistic() {
      return statistic();
    }
  }

  /** A stream, and, since a plan may scan it where Calcite has left out the Delta, the rows that it has had. */
  private final class Stream extends Rows implements StreamableTable {
    @Override
    public Enumerable<Object[]> scan(DataContext root) {
      return Linq4j.asEnumerable(allRows());
    }

    @Override
    public Table stream() {
      return new Arrivals();
    }
  }

  /** The rows of a stream that arrive while the query runs. */
  private final class Arrivals extends Rows {
    @Override
    public Enumerable<Object[]> scan(DataContext root) {
      return Linq4j.asEnumerable(arrived);
    }
  }

  /**
   * All rows of a table, or of a stream with a history. It is scannable, too, because only then does Calcite take the rows of
   * one column out of their arrays.
   */
  private class Stored extends AbstractQueryableTable implements ModifiableTable, ScannableTable {
    Stored() {
      super(Object[].class);
    }

    @Override
    public Enumerable<Object[]> scan(DataContext root) {
      return Linq4j.asEnumerable(allRows());
    }

    @Override
    public <T> Queryable<T> asQueryable(
        QueryProvider provider, SchemaPlus schema, String name) {
      return new AbstractTableQueryable<T>(provider, schema, this, name) {
        @Override
        @SuppressWarnings("unchecked") // T is the element type, Object[]
        public Enumerator<T> enumerator() {
          return (Enumerator<T>) Linq4j.enumerator(allRows());
        }
      };
    }

    @Override
    public Collection<Object[]> getModifiableCollection() {
      return past;
    }

    @Override
    public TableModify toModificationRel(
        RelOptCluster cluster,
        RelOptTable table,
        Prepare.CatalogReader reader,
        RelNode input,
        TableModify.Operation operation,
        List<String> updated,
        List<RexNode> sources,
        boolean flattened) {
      return LogicalTableModify.create(table, reader, input, operation, updated, sources, flattened);
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory types) {
      return rowType(types);
    }

    @Override
    public Statistic getStatistic() {
      return statistic();
    }
  }

  /** A table with PERIOD. */
  private final class Versioned extends Stored implements TemporalTable {
    @Override
    public String getSysStartFieldName() {
      return declared.period().get(0);
    }

    @Override
    public String getSysEndFieldName() {
      return declared.period().get(1);
    }
  }
}
