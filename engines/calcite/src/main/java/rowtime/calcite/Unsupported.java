package rowtime.calcite;

/** The answer to a query that needs what Calcite does not implement. */
final class Unsupported extends Exception {
  private static final long serialVersionUID = 1L;

  /** A query that lacks what the reason names. */
  Unsupported(String reason) {
    super(reason, null, false, false);
  }
}
