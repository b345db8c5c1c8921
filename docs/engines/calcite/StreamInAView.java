import java.sql.*;
import java.util.List;
import org.apache.calcite.DataContext;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.linq4j.*;
import org.apache.calcite.rel.type.*;
import org.apache.calcite.schema.*;
import org.apache.calcite.schema.impl.*;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * STREAM in a view makes a relational query read the stream.
 *
 * <p>Calcite's page on streaming: "If the STREAM keyword is present in sub-queries or view definitions, it has no effect."
 *
 * <p>Expected: both queries have the same answer; a table that can be streamed cannot be read as a relation.
 * Actual (1.42.0): "Cannot convert stream 'T' to relation" from the first, "live" from the second.
 */
public class StreamInAView {
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
    SchemaPlus root = calcite.getRootSchema();
    root.add("T", new Both("stored"));
    root.add("V", ViewTable.viewMacro(root, "SELECT STREAM x FROM t", List.of(), null, false));
    for (String sql : List.of(
        "SELECT x FROM t",
        "SELECT x FROM v")) {
      try (Statement statement = calcite.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
        rows.next();
        System.out.println(sql + " -> " + rows.getString(1));
      } catch (SQLException error) {
        System.out.println(sql + " -> " + error.getMessage());
      }
    }
  }
}
