import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * Flink on one machine, driven by lines: a request is one line of fields, the first its word; the
 * answer is a line "ok" with the number of lines that follow, or "error" with a message.
 */
public final class Driver {
    private final Cluster cluster = new Cluster();
    private Session session;

    private Driver() throws Exception {}


    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Driver driver = new Driver();
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            try {
                List<String> lines = driver.answer(Text.fields(line));
                answers.println("ok\t" + lines.size());
                lines.forEach(answers::println);
            } catch (Exception | LinkageError | AssertionError error) {
                answers.println(Text.line(List.of("error", message(error))));
            }
            answers.flush();
        }
        System.exit(0);
    }

    private List<String> answer(List<String> request) throws Exception {
        List<String> fields = request.subList(1, request.size());
        switch (request.get(0)) {
            case "open" -> {
                close();
                List<Integer> key = Stream.of(fields.get(1).split(" ")).filter(each -> !each.isEmpty()).map(Integer::valueOf).toList();
                session = new Session(cluster, Session.Mode.valueOf(fields.get(0)), key, fields.subList(2, fields.size()));
                return session.columns().stream().map(Driver::column).toList();
            }
            case "row" -> {
                RowKind kind = RowKind.valueOf(fields.get(1));
                Row row = Row.withPositions(kind, fields.size() - 2);
                List<LogicalType> columns = session.types(fields.get(0));
                for (int i = 0; i < columns.size(); i++) {
                    row.setField(i, Text.value(fields.get(i + 2), columns.get(i)));
                }
                Session.input(fields.get(0)).add(new Input.Event(row, null));
            }
            case "watermark" ->
                    Session.input(fields.get(0)).add(new Input.Event(null, Long.valueOf(fields.get(1))));
            case "end" -> Session.input(fields.get(0)).add(new Input.Event(null, null));
            case "start" -> session.start();
            case "poll" -> {
                return lines(session.poll());
            }
            case "finish" -> {
                return lines(session.finish());
            }
            case "close" -> close();
            default -> throw new IllegalArgumentException("no request " + request.get(0));
        }
        return List.of();
    }

    private void close() throws Exception {
        if (session != null) {
            Session old = session;
            session = null;
            old.close();
        }
    }

    private static String column(Column column) {
        LogicalType type = column.getDataType().getLogicalType();
        return Text.line(List.of(
                column.getName(), type.copy(true).asSerializableString(), String.valueOf(type.isNullable())));
    }

    private static List<String> lines(List<Row> rows) {
        List<String> lines = new ArrayList<>();
        for (Row row : rows) {
            List<String> fields = new ArrayList<>();
            fields.add(row.getKind().shortString());
            for (int i = 0; i < row.getArity(); i++) {
                fields.add(Text.text(row.getField(i)));
            }
            lines.add(Text.line(fields));
        }
        return lines;
    }

    /** What an error's first cause says, in its first line. */
    private static String message(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String text = String.valueOf(cause.getMessage()).strip();
        return cause.getClass().getSimpleName() + ": " + text.lines().findFirst().orElse("");
    }
}
