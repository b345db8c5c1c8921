package rowtime.calcite;

import java.math.RoundingMode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * What Calcite leaves to those who embed it, chosen as the kit's rules choose it: DECIMAL has 38 digits and rounds half
 * up, sums of integers are BIGINT, averages are DOUBLE, and texts of different lengths do not pad each other. The JDBC
 * driver makes one by its name, so that it is public.
 */
public final class Types extends RelDataTypeSystemImpl {
  private static final int DIGITS = 38;

  @Override
  public int getMaxPrecision(SqlTypeName type) {
    return type == SqlTypeName.DECIMAL ? DIGITS : super.getMaxPrecision(type);
  }

  @Override
  public int getMaxScale(SqlTypeName type) {
    return type == SqlTypeName.DECIMAL ? DIGITS : super.getMaxScale(type);
  }

  @Override
  public RoundingMode roundingMode() {
    return RoundingMode.HALF_UP;
  }

  @Override
  public RelDataType deriveSumType(RelDataTypeFactory types, RelDataType argument) {
    return switch (argument.getSqlTypeName()) {
      case TINYINT, SMALLINT, INTEGER -> like(argument, types.createSqlType(SqlTypeName.BIGINT), types);
      case REAL -> like(argument, types.createSqlType(SqlTypeName.DOUBLE), types);
      case DECIMAL ->
          like(argument, types.createSqlType(SqlTypeName.DECIMAL, DIGITS, argument.getScale()), types);
      default -> super.deriveSumType(types, argument);
    };
  }

  @Override
  public RelDataType deriveAvgAggType(RelDataTypeFactory types, RelDataType argument) {
    if (SqlTypeUtil.isDecimal(argument)) {
      int scale = Math.max(argument.getScale(), 6);
      return like(argument, types.createSqlType(SqlTypeName.DECIMAL, DIGITS, scale), types);
    }
    return SqlTypeUtil.isNumeric(argument)
        ? like(argument, types.createSqlType(SqlTypeName.DOUBLE), types)
        : super.deriveAvgAggType(types, argument);
  }

  @Override
  public RelDataType deriveCovarType(RelDataTypeFactory types, RelDataType first, RelDataType second) {
    boolean nullable = first.isNullable() || second.isNullable();
    return types.createTypeWithNullability(types.createSqlType(SqlTypeName.DOUBLE), nullable);
  }

  @Override
  public boolean shouldConvertRaggedUnionTypesToVarying() {
    return true;
  }

  /** A type that has NULL if the argument's has. */
  private static RelDataType like(RelDataType argument, RelDataType type, RelDataTypeFactory types) {
    return types.createTypeWithNullability(type, argument.isNullable());
  }
}
