import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Expressions;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.expressions.Expression;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.Row;

/** One query as one running job.  There is one session at a time. */
final class Session implements AutoCloseable {
    /** How the job runs, and what becomes of an updating result. */
    enum Mode {
        /** Streaming, with a barrier for each {@link #poll}; an updating query is refused. */
        APPEND,
        /** Streaming; the changes are returned. */
        CHANGES,
        /** Streaming, with a barrier for each {@link #poll}; the changes are returned. */
        FOLDS,
        /** As FOLDS, but the changes are upserts by the key. */
        UPSERTS,
        /** Batch. */
        BATCH
    }

    private static final Map<String, Input> INPUTS = new ConcurrentHashMap<>();
    private static volatile Observer.Seen seen = new Observer.Seen();

    /** The input of this name; it is made when it is first asked for. */
    static Input input(String name) {
        return INPUTS.computeIfAbsent(name, each -> new Input());
    }

    /** What has come out of the session's job. */
    static Observer.Seen seen() {
        return seen;
    }

    private final ResolvedSchema schema;
    private final StreamExecutionEnvironment environment;
    private final StreamTableEnvironment tables;
    private final Map<String, List<LogicalType>> types = new HashMap<>();
    private final Mode mode;
    private JobClient job;
    private boolean ended = false;

    /**
     * Plans the last of the statements, a query, after it has run the others.  The key has the
     * places of columns; it is read in the mode UPSERTS alone.
     */
    Session(Cluster cluster, Mode mode, List<Integer> key, List<String> statements) {
        INPUTS.clear();
        seen = new Observer.Seen();
        this.mode = mode;
        environment = cluster.environment(configuration(mode));
        environment.setParallelism(1);
        tables = StreamTableEnvironment.create(environment);
        for (String statement : statements.subList(0, statements.size() - 1)) {
            tables.executeSql(statement);
        }
        Table table = tables.sqlQuery(statements.get(statements.size() - 1));
        schema = table.getResolvedSchema();
        DataStream<Row> rows = switch (mode) {
            case CHANGES, FOLDS -> tables.toChangelogStream(withOneRowtime(table));
            case UPSERTS -> upserts(table, key);
            case APPEND, BATCH -> tables.toDataStream(withOneRowtime(table));
        };
        rows.map(new Observer()).sinkTo(new DiscardingSink<>());
    }

    /** The changes as upserts: a sink with a primary key, which Flink does not check. */
    private DataStream<Row> upserts(Table table, List<Integer> key) {
        List<Expression> columns = new ArrayList<>();
        Schema.Builder sink = Schema.newBuilder();
        for (Column column : table.getResolvedSchema().getColumns()) {
            boolean rowtime = column.getDataType().toString().contains("*ROWTIME*");
            DataType type = rowtime ? DataTypes.TIMESTAMP(3) : column.getDataType();
            var reference = Expressions.$(column.getName());
            sink.column(column.getName(), key.contains(columns.size()) ? type.notNull() : type.nullable());
            columns.add(rowtime ? reference.cast(type).as(column.getName()) : reference);
        }
        List<String> names = table.getResolvedSchema().getColumnNames();
        sink.primaryKey(key.stream().map(names::get).toList());
        Table plain = table.select(columns.toArray(Expression[]::new));
        return tables.toChangelogStream(plain, sink.build(), ChangelogMode.upsert());
    }

    private static Configuration configuration(Mode mode) {
        Configuration options = new Configuration();
        options.setString("execution.runtime-mode", mode == Mode.BATCH ? "BATCH" : "STREAMING");
        options.setString("execution.buffer-timeout.interval", "0 ms");
        options.setString("restart-strategy.type", "none");
        options.setString("table.local-time-zone", "UTC");
        if (mode != Mode.CHANGES && mode != Mode.BATCH) {
            options.setString("execution.checkpointing.interval", "10 ms");
        }
        return options;
    }

    /** The table without the time attributes but the first: a DataStream has one timestamp. */
    private static Table withOneRowtime(Table table) {
        List<Expression> columns = new ArrayList<>();
        boolean found = false;
        for (Column column : table.getResolvedSchema().getColumns()) {
            boolean rowtime = column.getDataType().toString().contains("*ROWTIME*");
            var reference = Expressions.$(column.getName());
            columns.add(
                    rowtime && found
                            ? reference.cast(DataTypes.TIMESTAMP(3)).as(column.getName())
                            : reference);
            found |= rowtime;
        }
        return table.select(columns.toArray(Expression[]::new));
    }

    /** The result's columns. */
    List<Column> columns() {
        return schema.getColumns();
    }

    /** The types of the columns of a table that the statements have created. */
    List<LogicalType> types(String table) {
        return types.computeIfAbsent(
                table,
                name -> tables.from("`" + name.replace(".", "`.`") + "`").getResolvedSchema().getColumnDataTypes().stream()
                        .map(DataType::getLogicalType)
                        .toList());
    }

    /** Starts the job. */
    void start() throws Exception {
        job = environment.executeAsync();
    }

    /** Waits until all that has been fed has passed through the job; what came since the last poll. */
    List<Row> poll() throws Exception {
        seen.awaitBarrier(job, checkpoint -> INPUTS.values().stream().allMatch(i -> i.allBefore(checkpoint)));
        return seen.take();
    }

    /** Waits until the job has ended, as all its inputs have; what came since the last poll. */
    List<Row> finish() throws Exception {
        job.getJobExecutionResult().get(60, TimeUnit.SECONDS);
        ended = true;
        return seen.take();
    }

    @Override
    public void close() throws Exception {
        if (job != null && !ended && !job.getJobStatus().get().isGloballyTerminalState()) {
            job.cancel().get(30, TimeUnit.SECONDS);
            try {
                job.getJobExecutionResult().get(30, TimeUnit.SECONDS);
            } catch (ExecutionException cancelled) {
                // as was asked
            }
        }
    }
}
