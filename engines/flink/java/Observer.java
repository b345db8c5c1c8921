import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.LongPredicate;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.types.Row;

/** The last operator of a job: it keeps the rows that come out, and sees the barriers behind them. */
final class Observer implements MapFunction<Row, Row>, CheckpointedFunction {
    @Override
    public Row map(Row row) {
        Session.seen().row(Row.copy(row));
        return row;
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {
        Session.seen().barrier(context.getCheckpointId());
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {}

    /** The rows since the last poll, and the barriers that have come. */
    static final class Seen {
        private static final long PATIENCE_MS = 30_000;

        private final List<Row> rows = new ArrayList<>();
        private long barrier = 0;

        synchronized void row(Row row) {
            rows.add(row);
        }

        synchronized void barrier(long checkpoint) {
            barrier = checkpoint;
            notifyAll();
        }

        synchronized List<Row> take() {
            List<Row> taken = List.copyOf(rows);
            rows.clear();
            return taken;
        }

        /** Waits for a barrier that satisfies the condition, or the end of the job. */
        synchronized void awaitBarrier(JobClient job, LongPredicate condition) throws Exception {
            var ended = job.getJobExecutionResult();
            ended.whenComplete((result, error) -> barrier(barrier));
            long deadline = System.currentTimeMillis() + PATIENCE_MS;
            while (!ended.isDone() && !(barrier > 0 && condition.test(barrier))) {
                long left = deadline - System.currentTimeMillis();
                if (left <= 0) {
                    throw new TimeoutException("no barrier has come through the job");
                }
                wait(left);
            }
            if (ended.isDone()) {
                ended.get();
            }
        }
    }
}
