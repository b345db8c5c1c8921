package rowtime.calcite;

import java.util.List;
import org.apache.calcite.rel.RelFieldCollation.Direction;

/** A statement of the kit's DDL. */
sealed interface Declaration {

  /**
   * A table or a stream.
   *
   * @param schema the schema that its name is qualified by, or null
   * @param history whether a stream's past can be read, too; always true of a table
   * @param period the two columns of PERIOD, or empty
   */
  record Relation(
      String schema, String name, boolean stream, boolean history, List<Column> columns, List<String> period)
      implements Declaration {}

  /** A view: its query selects by name the columns of the view's own list, if it has one. */
  record View(String schema, String name, String sql) implements Declaration {}

  /** Any other statement: Calcite executes it as it stands. */
  record Other(String sql) implements Declaration {}

  /**
   * A column of a table or stream.
   *
   * @param type in SQL
   * @param order what is declared of the values of later rows, or null
   */
  record Column(String name, String type, boolean nullable, Direction order) {
    /** The column with NOT NULL. */
    Column required() {
      return new Column(name, type, false, order);
    }
  }
}
