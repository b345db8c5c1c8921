import java.sql.DriverManager;
import java.util.List;
import org.apache.calcite.jdbc.*;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.*;
import org.apache.calcite.rel.type.*;
import org.apache.calcite.schema.*;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.*;

/**
 * Expressions and columns that the validator calls monotonic, and that are not. A streaming GROUP BY or ORDER BY by one
 * of them is accepted, and an engine that trusts it closes a group that gets more rows.
 *
 * <p>Calcite's page on streaming, "State of the stream", lists monotonicity under "Implemented".
 *
 * <p>Expected: nothing is printed as INCREASING. Actual (1.42.0): all are.
 */
public class Monotonicity {
  /** A stream whose columns rise strictly. */
  public static class Rising extends AbstractTable implements StreamableTable {
    @Override public RelDataType getRowType(RelDataTypeFactory types) {
      return types.builder()
          .add("A", SqlTypeName.INTEGER)
          .add("S", SqlTypeName.VARCHAR, 10)
          .add("T", SqlTypeName.TIME)
          .add("D", SqlTypeName.TIMESTAMP)
          .build();
    }

    @Override public Statistic getStatistic() {
      return Statistics.of(null, null, null, List.of(rising(0), rising(1), rising(2), rising(3)));
    }

    private static RelCollation rising(int column) {
      return RelCollations.of(new RelFieldCollation(column, RelFieldCollation.Direction.STRICTLY_ASCENDING));
    }

    @Override public Table stream() {
      return this;
    }
  }

  public static void main(String[] args) throws Exception {
    CalciteConnection calcite = DriverManager.getConnection("jdbc:calcite:").unwrap(CalciteConnection.class);
    calcite.getRootSchema().add("R", new Rising());
    key(calcite, "a * (1 - 2)", "1, 2, 3 give -1, -2, -3");
    key(calcite, "CAST(s AS DATE)", "'10000-01-01' is before '2000-01-01' as text");
    key(calcite, "t + INTERVAL '1' HOUR", "23:30 gives 00:30");
    key(calcite, "CURRENT_TIME", "the clock goes round at midnight");
    key(calcite, "d + INTERVAL '1' MONTH", "January 30 23:00 gives February 28 23:00, January 31 01:00 February 28 01:00");
    show(calcite, "SELECT STREAM q.d AS x FROM r AS p LEFT JOIN r AS q ON p.d = q.d AND p.s = q.s",
        "a row without a partner has NULL, between two that have one");
    show(calcite, "SELECT STREAM a AS x, COUNT(*) AS c FROM r GROUP BY HOP(d, INTERVAL '1' HOUR, INTERVAL '2' HOUR), a",
        "a number comes again with the next window, behind greater ones");
  }

  private static void key(CalciteConnection calcite, String expression, String counterexample) throws Exception {
    show(calcite, "SELECT STREAM " + expression + " AS x, COUNT(*) AS c FROM r GROUP BY " + expression, counterexample);
  }

  private static void show(CalciteConnection calcite, String sql, String counterexample) throws Exception {
    CalciteCatalogReader catalog = new CalciteCatalogReader(
        CalciteSchema.from(calcite.getRootSchema()), List.of(), calcite.getTypeFactory(), calcite.config());
    SqlValidator validator = SqlValidatorUtil.newValidator(
        SqlStdOperatorTable.instance(), catalog, calcite.getTypeFactory(), SqlValidator.Config.DEFAULT);
    SqlNode query = validator.validate(SqlParser.create(sql).parseQuery());
    System.out.println(
        sql + "\n  x is " + validator.getNamespace(query).getMonotonicity("X") + ", but " + counterexample);
  }
}
