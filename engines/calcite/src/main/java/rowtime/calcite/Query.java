package rowtime.calcite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlValidator;

/**
 * One query on a catalog of its own. It is validated when it is opened; when the inputs have ended, Calcite's JDBC
 * driver plans and runs it over the rows that have come.
 */
final class Query {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final CalciteConnection connection;
  private final Catalog catalog;
  private final String sql;
  private final boolean streaming;
  private final SqlNode validated;
  private final RelDataType columns;
  private final Map<String, String> monotonicity;
  private boolean due;

  /** Opens {@code sql}, or runs the script alone if it is null. */
  Query(String ddl, String sql) throws Refusal, SQLException, Unsupported {
    this.sql = sql;
    connection = DriverManager.getConnection("jdbc:calcite:", settings()).unwrap(CalciteConnection.class);
    SqlNode parsed = sql == null ? null : parse(sql);
    streaming = parsed != null && Analysis.isStreaming(parsed);
    List<Declaration> script = Script.declarations(ddl);
    String lack = Lacks.of(parsed, streaming, script);
    if (lack != null) {
      connection.close();
      throw new Unsupported(lack);
    }
    catalog = new Catalog(connection, script, streaming);
    if (parsed == null) {
      validated = null;
      columns = null;
      monotonicity = Map.of();
      return;
    }
    SqlValidator validator = Analysis.validator(connection);
    try {
      validated = validator.validate(parsed);
      columns = validator.getValidatedNodeType(validated);
    } catch (CalciteContextException error) {
      throw Refusal.of(error, sql);
    }
    monotonicity = Deduction.monotonicity(validator, validated, columns);
  }

  /** Settings of the JDBC driver; whatever is not named here is as Calcite has it. */
  private static Properties settings() {
    Properties settings = new Properties();
    settings.setProperty("timeZone", "UTC");
    settings.setProperty("typeSystem", Types.class.getName());
    settings.setProperty("fun", "standard,postgresql,oracle");
    return settings;
  }

  private static SqlNode parse(String sql) throws Refusal {
    try {
      return Analysis.parse(sql);
    } catch (SqlParseException error) {
      throw Refusal.of(error, sql);
    }
  }

  /** The version of Calcite on the class path. */
  static String calciteVersion() {
    try (Connection any = DriverManager.getConnection("jdbc:calcite:")) {
      return any.getMetaData().getDatabaseProductVersion();
    } catch (SQLException error) {
      throw new IllegalStateException("Calcite does not start", error);
    }
  }

  /** The fields of the answer {@code accepted}. */
  ObjectNode accepted() {
    ObjectNode answer = JSON.createObjectNode().put("streaming", streaming);
    ArrayNode described = answer.putArray("columns");
    if (columns == null) {
      return answer;
    }
    for (RelDataTypeField column : columns.getFieldList()) {
      described
          .addObject()
          .put("name", column.getName())
          .put("type", typeName(column.getType()))
          .put("nullable", column.getType().isNullable());
    }
    answer.set("monotonicity", JSON.valueToTree(monotonicity));
    answer.putObject("metadata").put("collation", Analysis.collation(connection, sql));
    return answer;
  }

  private static String typeName(RelDataType type) {
    if (type.getSqlTypeName() == SqlTypeName.NULL) {
      return "ANY";
    }
    return type.getSqlTypeName() == SqlTypeName.FLOAT ? "DOUBLE" : type.toString();
  }

  /** Takes rows from before the query. */
  void load(String object, JsonNode rows) {
    Input input = catalog.input(object);
    rows.forEach(row -> input.load(read(row, input)));
  }

  /** Takes rows that arrive. */
  void arrive(String name, JsonNode rows) {
    Input input = catalog.input(name);
    rows.forEach(row -> input.arrive(read(row, input)));
  }

  private static Object[] read(JsonNode row, Input input) {
    Object[] values = new Object[row.size()];
    for (int place = 0; place < values.length; place++) {
      values[place] = Values.fromWire(row.get(place), input.rowType().getFieldList().get(place).getType());
    }
    return values;
  }

  /** Says that all inputs have ended. */
  void end() {
    due = sql != null;
  }

  /** The fields of the answer {@code output}: all rows at the first poll after the end, and none before. */
  ObjectNode poll() {
    ObjectNode output = JSON.createObjectNode();
    if (!due) {
      return output;
    }
    due = false;
    ArrayNode rows = JSON.createArrayNode();
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        ArrayNode row = rows.addArray();
        for (int column = 1; column <= columns.getFieldCount(); column++) {
          Values.toWire(result, column, columns.getFieldList().get(column - 1).getType(), row);
        }
      }
    } catch (SQLException | RuntimeException | AssertionError error) {
      output.set("error", Refusal.ofFailure(error).asJson());
      return output;
    }
    output.set("rows", rows);
    return output;
  }

  /** The physical plan, as EXPLAIN PLAN shows it. */
  String plan() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("EXPLAIN PLAN FOR " + sql);
        ResultSet result = statement.executeQuery()) {
      result.next();
      return result.getString(1);
    }
  }

  void close() throws SQLException {
    connection.close();
  }
}
