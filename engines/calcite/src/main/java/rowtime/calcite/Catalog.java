package rowtime.calcite;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.impl.AbstractSchema;
import org.apache.calcite.schema.impl.ViewTable;

/** The tables, streams and views of a script, in the schema of a connection. */
final class Catalog {
  private final CalciteConnection connection;
  private final Map<String, Input> inputs = new HashMap<>();

  /** Carries out a script; {@code streaming} is whether the query that follows is. */
  Catalog(CalciteConnection connection, List<Declaration> script, boolean streaming) throws Refusal {
    this.connection = connection;
    for (Declaration each : script) {
      if (each instanceof Declaration.Relation relation) {
        add(relation, streaming);
      } else if (each instanceof Declaration.View view) {
        SchemaPlus schema = schema(view.schema());
        schema.add(view.name(), ViewTable.viewMacro(schema, view.sql(), path(view.schema()), null, false));
      } else if (each instanceof Declaration.Other other) {
        try (Statement statement = connection.createStatement()) {
          statement.executeUpdate(other.sql());
        } catch (SQLException | AssertionError error) {
          throw Refusal.ofScript(error);
        }
      }
    }
  }

  /** The table or stream of a name as the kit writes it: ORDERS, or SALES.ORDERS. */
  Input input(String name) {
    return inputs.get(name);
  }

  private void add(Declaration.Relation relation, boolean streaming) {
    RelDataTypeFactory.Builder columns = connection.getTypeFactory().builder();
    for (Declaration.Column column : relation.columns()) {
      columns.add(column.name(), Analysis.type(column.type(), column.nullable(), connection));
    }
    Input input = new Input(relation, columns.build());
    String name = relation.schema() == null ? relation.name() : relation.schema() + "." + relation.name();
    inputs.put(name, input);
    schema(relation.schema()).add(relation.name(), input.asTable(streaming));
  }

  private SchemaPlus schema(String name) {
    SchemaPlus root = connection.getRootSchema();
    if (name == null) {
      return root;
    }
    SchemaPlus found = root.subSchemas().get(name);
    return found == null ? root.add(name, new AbstractSchema()) : found;
  }

  private static List<String> path(String schema) {
    return schema == null ? List.of() : List.of(schema);
  }
}
