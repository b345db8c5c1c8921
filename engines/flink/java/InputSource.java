import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.connector.RuntimeConverter;
import org.apache.flink.table.connector.source.DynamicTableSource.DataStructureConverter;
import org.apache.flink.table.data.RowData;

/** The source of an {@link Input}: its rows, its watermarks, its end, in this order. */
final class InputSource implements Source<RowData, InputSource.NoSplit, Void> {
    private final String name;
    private final DataStructureConverter converter;
    private final boolean bounded;

    InputSource(String name, DataStructureConverter converter, boolean bounded) {
        this.name = name;
        this.converter = converter;
        this.bounded = bounded;
    }

    @Override
    public Boundedness getBoundedness() {
        return bounded ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<RowData, NoSplit> createReader(SourceReaderContext context) {
        return new Reader(Session.input(name).read(), converter);
    }

    private static final class Reader implements SourceReader<RowData, NoSplit> {
        private final Input.Cursor input;
        private final DataStructureConverter converter;

        Reader(Input.Cursor input, DataStructureConverter converter) {
            this.input = input;
            this.converter = converter;
        }

        @Override
        public void start() {
            converter.open(RuntimeConverter.Context.create(InputSource.class.getClassLoader()));
        }

        @Override
        public InputStatus pollNext(ReaderOutput<RowData> output) {
            Input.Event event = input.take();
            if (event == null) {
                return InputStatus.NOTHING_AVAILABLE;
            }
            if (event.row() != null) {
                output.collect((RowData) converter.toInternal(event.row()));
            } else if (event.watermark() != null) {
                output.emitWatermark(new Watermark(event.watermark()));
            } else {
                return InputStatus.END_OF_INPUT;
            }
            return InputStatus.MORE_AVAILABLE;
        }

        @Override
        public List<NoSplit> snapshotState(long checkpoint) {
            input.barrier(checkpoint);
            return List.of();
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return input.available();
        }

        @Override
        public void addSplits(List<NoSplit> splits) {}

        @Override
        public void notifyNoMoreSplits() {}

        @Override
        public void close() {}
    }

    // --- an input has no splits ----------------------------------------------------------------

    record NoSplit() implements SourceSplit {
        @Override
        public String splitId() {
            return "";
        }
    }

    @Override
    public SplitEnumerator<NoSplit, Void> createEnumerator(SplitEnumeratorContext<NoSplit> context) {
        return new NoSplits();
    }

    @Override
    public SplitEnumerator<NoSplit, Void> restoreEnumerator(
            SplitEnumeratorContext<NoSplit> context, Void checkpoint) {
        return new NoSplits();
    }

    @Override
    public SimpleVersionedSerializer<NoSplit> getSplitSerializer() {
        return new Empty<>(new NoSplit());
    }

    @Override
    public SimpleVersionedSerializer<Void> getEnumeratorCheckpointSerializer() {
        return new Empty<>(null);
    }

    private static final class NoSplits implements SplitEnumerator<NoSplit, Void> {
        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<NoSplit> splits, int subtask) {}

        @Override
        public void addReader(int subtask) {}

        @Override
        public Void snapshotState(long checkpoint) {
            return null;
        }

        @Override
        public void close() {}
    }

    private record Empty<T>(T value) implements SimpleVersionedSerializer<T> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(T object) {
            return new byte[0];
        }

        @Override
        public T deserialize(int version, byte[] serialized) {
            return value;
        }
    }
}
