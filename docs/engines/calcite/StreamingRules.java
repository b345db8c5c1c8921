import java.sql.DriverManager;
import java.util.List;
import org.apache.calcite.jdbc.*;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.*;
import org.apache.calcite.rel.type.*;
import org.apache.calcite.schema.*;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.*;

/**
 * Queries that Calcite's page on streaming allows and the validator rejects, and the other way round.
 *
 * <p>Page: "GROUPING SETS is valid for a streaming query provided that every grouping set contains a monotonic or
 * quasi-monotonic expression." Expected: the second query is accepted. Actual (1.42.0): it is rejected with "Streaming
 * aggregation requires at least one monotonic expression in GROUP BY clause".
 *
 * <p>Page: "If you try to run a streaming query on a table, or a relational query on a stream, Calcite gives an error"; on
 * VALUES: "Streaming is disallowed." Expected: the last three queries are rejected. Actual (1.42.0): only the first of
 * them is.
 */
public class StreamingRules {
  /** A table with a time and a number; a stream, too, if it is streamable. */
  public static class Rising extends AbstractTable {
    @Override public RelDataType getRowType(RelDataTypeFactory types) {
      return types.builder().add("T", SqlTypeName.TIMESTAMP).add("N", SqlTypeName.INTEGER).build();
    }

    @Override public Statistic getStatistic() {
      return Statistics.of(null, null, null, List.of(RelCollations.of(0)));
    }
  }

  /** The same as a stream. */
  public static class Stream extends Rising implements StreamableTable {
    @Override public Table stream() {
      return this;
    }
  }

  public static void main(String[] args) throws Exception {
    CalciteConnection calcite = DriverManager.getConnection("jdbc:calcite:").unwrap(CalciteConnection.class);
    calcite.getRootSchema().add("S", new Stream());
    calcite.getRootSchema().add("R", new Rising());
    show(calcite, "SELECT STREAM COUNT(*) AS c FROM s GROUP BY FLOOR(t TO HOUR)");
    show(calcite, "SELECT STREAM COUNT(*) AS c FROM s GROUP BY GROUPING SETS ((FLOOR(t TO HOUR), n), (FLOOR(t TO HOUR)))");
    show(calcite, "SELECT STREAM n FROM r");
    show(calcite, "SELECT STREAM * FROM (SELECT n FROM s UNION ALL SELECT n FROM r)");
    show(calcite, "SELECT STREAM * FROM (SELECT n FROM s UNION ALL VALUES (1))");
  }

  private static void show(CalciteConnection calcite, String sql) throws Exception {
    CalciteCatalogReader catalog = new CalciteCatalogReader(
        CalciteSchema.from(calcite.getRootSchema()), List.of(), calcite.getTypeFactory(), calcite.config());
    SqlValidator validator = SqlValidatorUtil.newValidator(
        SqlStdOperatorTable.instance(), catalog, calcite.getTypeFactory(), SqlValidator.Config.DEFAULT);
    String answer = "accepted";
    try {
      validator.validate(SqlParser.create(sql).parseQuery());
    } catch (RuntimeException error) {
      answer = (error.getCause() == null ? error : error.getCause()).getMessage();
    }
    System.out.println(sql + "\n  " + answer);
  }
}
