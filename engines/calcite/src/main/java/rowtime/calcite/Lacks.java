package rowtime.calcite;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.util.SqlBasicVisitor;

/**
 * What Calcite's page on streaming lists as not implemented, although Calcite parses and validates it: a query that
 * needs it cannot be run, or has other rows. And the statements that calcite-core does not have.
 */
final class Lacks extends SqlBasicVisitor<Void> {
  static final String JOIN = "no joins of streams";
  static final String GROUP = "no TUMBLE, HOP or SESSION in GROUP BY";
  static final String TABLE = "no TUMBLE, HOP or SESSION over a stream";
  static final String DDL = "no DROP or CREATE OR REPLACE: DDL is in calcite-server, not in calcite-core";

  /** The functions of GROUP BY, by Calcite's names for them. */
  private static final Set<String> GROUPS = Set.of("$TUMBLE", "$HOP", "$SESSION");
  /** The table functions. */
  private static final Set<String> TABLES = Set.of("TUMBLE", "HOP", "SESSION");

  private final boolean streaming;
  private final Set<String> streams;
  private String found;

  private Lacks(boolean streaming, Set<String> streams) {
    this.streaming = streaming;
    this.streams = streams;
  }

  /** The reason why a query, or a script alone, is not put to Calcite; null: it is. */
  static String of(SqlNode query, boolean streaming, List<Declaration> script) {
    for (Declaration each : script) {
      if (each instanceof Declaration.Other other && other.sql().matches("(?is)(DROP|CREATE OR REPLACE) .*")) {
        return DDL;
      }
    }
    if (query == null) {
      return null;
    }
    Lacks lacks = new Lacks(streaming, streams(script));
    query.accept(lacks);
    return lacks.found;
  }

  /** The last names of the streams of a script, and of the views over them. */
  private static Set<String> streams(List<Declaration> script) {
    Set<String> names = new HashSet<>();
    for (Declaration each : script) {
      if (each instanceof Declaration.Relation relation && relation.stream()) {
        names.add(relation.name());
      } else if (each instanceof Declaration.View view) {
        try {
          if (reads(Analysis.parse(view.sql()), names)) {
            names.add(view.name());
          }
        } catch (SqlParseException error) {
          // Calcite reports the error of the view where the view is read.
        }
      }
    }
    return names;
  }

  @Override
  public Void visit(SqlCall call) {
    if (call instanceof SqlWithItem item && reads(item.query, streams)) {
      streams.add(item.name.getSimple());
    }
    if (streaming && call instanceof SqlJoin join && reads(join.getLeft(), streams) && reads(join.getRight(), streams)) {
      found = JOIN;
    }
    String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
    if (GROUPS.contains(name)) {
      found = GROUP;
    } else if (streaming && TABLES.contains(name)) {
      found = TABLE;
    }
    return super.visit(call);
  }

  /** Whether a part of a query names one of the streams. */
  private static boolean reads(SqlNode part, Set<String> streams) {
    boolean[] reads = {false};
    part.accept(
        new SqlBasicVisitor<Void>() {
          @Override
          public Void visit(SqlIdentifier name) {
            reads[0] |= !name.names.isEmpty() && streams.contains(name.names.get(name.names.size() - 1));
            return null;
          }
        });
    return reads[0];
  }
}
