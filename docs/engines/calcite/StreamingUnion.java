import java.sql.*;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.linq4j.*;
import org.apache.calcite.rel.type.*;
import org.apache.calcite.schema.*;
import org.apache.calcite.schema.impl.AbstractTable;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * A streaming UNION ALL is planned without a Delta, so that it reads the stored rows of a table in place of its stream:
 * SqlToRelConverter adds the Delta to a top-level SELECT alone.
 *
 * <p>Calcite's page on streaming, "State of the stream", lists UNION ALL under "Implemented".
 *
 * <p>Expected: "live" from both queries. Actual (1.42.0): "live" from the first, "stored" from the second.
 */
public class StreamingUnion {
  /** A table with one stored row, and a stream of one other row. */
  public static class Both extends AbstractTable implements ScannableTable, StreamableTable {
    private final String row;

    Both(String row) {
      this.row = row;
    }

    @Override public RelDataType getRowType(RelDataTypeFactory types) {
      return types.builder().add("X", SqlTypeName.VARCHAR, 10).build();
    }

    @Override public Enumerable<Object[]> scan(DataContext root) {
      return Linq4j.asEnumerable(List.<Object[]>of(new Object[] {row}));
    }

    @Override public Table stream() {
      return new Both("live");
    }
  }

  public static void main(String[] args) throws SQLException {
    CalciteConnection calcite = DriverManager.getConnection("jdbc:calcite:").unwrap(CalciteConnection.class);
    calcite.getRootSchema().add("T", new Both("stored"));
    for (String sql : List.of(
        "SELECT STREAM x FROM t",
        "SELECT STREAM x FROM t UNION ALL SELECT STREAM x FROM t")) {
      try (Statement statement = calcite.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
        rows.next();
        System.out.println(sql + " -> " + rows.getString(1));
      } catch (SQLException error) {
        System.out.println(sql + " -> " + error.getMessage());
      }
    }
  }
}
