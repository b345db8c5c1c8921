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
 * Expressions and queries whose values repeat, and that the validator calls strictly increasing.
 *
 * <p>Calcite's javadoc, RelFieldCollation.Direction.STRICTLY_ASCENDING: "Strictly ascending direction: A value is always
 * followed by a greater value."
 *
 * <p>Expected: INCREASING. Actual (1.42.0): STRICTLY_INCREASING.
 */
public class StrictOrder {
  /** A stream whose columns rise strictly. */
  public static class Rising extends AbstractTable implements StreamableTable {
    @Override public RelDataType getRowType(RelDataTypeFactory types) {
      return types.builder()
          .add("A", SqlTypeName.INTEGER)
          .add("F", SqlTypeName.DOUBLE)
          .add("D", SqlTypeName.DATE)
          .add("C", SqlTypeName.DECIMAL, 10, 2)
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
    show(calcite, "SELECT STREAM CAST(a AS REAL) AS x FROM r", "a REAL has 24 bits: 16777216 and 16777217 give 16777216");
    show(calcite, "SELECT STREAM d + INTERVAL '1' MONTH AS x FROM r", "January 30 and 31 give February 28");
    show(calcite, "SELECT STREAM f + 1 AS x FROM r", "1E-20 and 2E-20 give 1");
    show(calcite, "SELECT STREAM CAST(c AS DECIMAL(9, 1)) AS x FROM r", "1.12 and 1.13 give 1.1");
    show(calcite, "SELECT STREAM a AS x FROM r UNION ALL SELECT STREAM a FROM r", "each number comes twice");
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
