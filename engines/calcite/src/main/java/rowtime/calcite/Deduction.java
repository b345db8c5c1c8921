package rowtime.calcite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelRoot;
import org.apache.calcite.rel.stream.Delta;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.validate.SqlMonotonicity;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorNamespace;
import org.apache.calcite.tools.FrameworkConfig;
import org.apache.calcite.tools.Frameworks;
import org.apache.calcite.tools.Planner;
import org.apache.calcite.tools.RelConversionException;
import org.apache.calcite.tools.ValidationException;
import org.apache.calcite.sql.parser.SqlParseException;

/** What Calcite deduces of a query before it runs. */
final class Deduction {
  private Deduction() {}

  /** The order of each column by its name, as the validator deduces it from the declared orders. */
  static Map<String, String> monotonicity(SqlValidator validator, SqlNode query, RelDataType columns) {
    SqlValidatorNamespace namespace = validator.getNamespace(query);
    Map<String, String> orders = new LinkedHashMap<>();
    if (namespace == null) {
      return orders;
    }
    for (String column : columns.getFieldNames()) {
      orders.put(column, name(namespace.getMonotonicity(column)));
    }
    return orders;
  }

  /** MONOTONIC is an order of unknown direction, for which the protocol has no word. */
  private static String name(SqlMonotonicity order) {
    return order == SqlMonotonicity.MONOTONIC ? SqlMonotonicity.NOT_MONOTONIC.name() : order.name();
  }

  /** The orders of the rows, {@code [A, B DESC]; [C STRICT]}, or {@code none}: metadata of the logical plan. */
  static String collation(FrameworkConfig config, String sql)
      throws SqlParseException, ValidationException, RelConversionException {
    try (Planner planner = Frameworks.getPlanner(config)) {
      RelRoot root = planner.rel(planner.validate(planner.parse(sql)));
      RelNode rows = root.rel instanceof Delta delta ? delta.getInput() : root.rel;
      List<RelCollation> collations = rows.getCluster().getMetadataQuery().collations(rows);
      if (collations == null) {
        return "none"; // of this operator Calcite deduces no order
      }
      List<String> found = new ArrayList<>();
      for (RelCollation each : collations) {
        found.add(text(each, rows.getRowType().getFieldNames()));
      }
      return found.isEmpty() ? "none" : String.join("; ", found);
    }
  }

  private static String text(RelCollation collation, List<String> names) {
    List<String> keys = new ArrayList<>();
    for (RelFieldCollation key : collation.getFieldCollations()) {
      String direction = key.direction.isDescending() ? " DESC" : "";
      String strict =
          switch (key.direction) {
            case STRICTLY_ASCENDING, STRICTLY_DESCENDING -> " STRICT";
            default -> "";
          };
      keys.add(names.get(key.getFieldIndex()) + direction + strict);
    }
    return "[" + String.join(", ", keys) + "]";
  }
}
