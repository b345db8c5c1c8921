package rowtime.calcite;

import java.util.List;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.prepare.CalciteCatalogReader;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlIntervalQualifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.util.SqlOperatorTables;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.apache.calcite.tools.FrameworkConfig;
import org.apache.calcite.tools.Frameworks;

/** Calcite's parser and validator, configured as the JDBC driver configures them. */
final class Analysis {
  private Analysis() {}

  /** A query as Calcite parses it. */
  static SqlNode parse(String sql) throws SqlParseException {
    return SqlParser.create(sql, SqlParser.Config.DEFAULT).parseQuery();
  }

  /** A validator of one query over the tables of a connection. */
  static SqlValidator validator(CalciteConnection connection) {
    JavaTypeFactory types = connection.getTypeFactory();
    CalciteCatalogReader catalog =
        new CalciteCatalogReader(
            CalciteSchema.from(connection.getRootSchema()), List.of(), types, connection.config());
    return SqlValidatorUtil.newValidator(
        SqlOperatorTables.chain(functions(connection), catalog),
        catalog,
        types,
        SqlValidator.Config.DEFAULT
            .withConformance(connection.config().conformance())
            .withDefaultNullCollation(connection.config().defaultNullCollation())
            .withLenientOperatorLookup(connection.config().lenientOperatorLookup())
            .withIdentifierExpansion(true));
  }

  /** The functions of the libraries that the connection names. */
  private static SqlOperatorTable functions(CalciteConnection connection) {
    return connection.config().fun(SqlOperatorTable.class, SqlStdOperatorTable.instance());
  }

  /** The collation of a query's rows; {@code unknown} where Calcite makes no logical plan of it. */
  static String collation(CalciteConnection connection, String sql) {
    FrameworkConfig config =
        Frameworks.newConfigBuilder()
            .defaultSchema(connection.getRootSchema())
            .operatorTable(functions(connection))
            .typeSystem(connection.getTypeFactory().getTypeSystem())
            .build();
    try {
      return Deduction.collation(config, sql);
    } catch (Exception | AssertionError error) {
      return "unknown: " + error;
    }
  }

  /** Whether a query says SELECT STREAM at its top. */
  static boolean isStreaming(SqlNode query) {
    if (query instanceof SqlOrderBy ordered) {
      return isStreaming(ordered.query);
    }
    if (query instanceof SqlWith with) {
      return isStreaming(with.body);
    }
    if (query instanceof SqlSelect select) {
      return select.getModifierNode(SqlSelectKeyword.STREAM) != null;
    }
    return query.isA(SqlKind.SET_QUERY) && isStreaming(((SqlCall) query).getOperandList().get(0));
  }

  /** The type of a column, as it is declared. */
  static RelDataType type(String declared, boolean nullable, CalciteConnection connection) {
    try {
      SqlCall cast = (SqlCall) SqlParser.create("CAST(NULL AS " + declared + ")").parseExpression();
      SqlNode type = cast.operand(1);
      if (type instanceof SqlIntervalQualifier fields) {
        JavaTypeFactory types = connection.getTypeFactory();
        return types.createTypeWithNullability(types.createSqlIntervalType(fields), nullable);
      }
      return ((SqlDataTypeSpec) type).deriveType(validator(connection), nullable);
    } catch (SqlParseException error) {
      throw new IllegalArgumentException("not a type of Calcite: " + declared, error);
    }
  }
}
