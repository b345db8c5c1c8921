import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.types.Row;

/** What one stream or table is fed with: events that sources read, each from the first on. */
final class Input {
    /** A row, a watermark (no later row is at it or below), or, if both are null, the end. */
    record Event(Row row, Long watermark) {}

    private final List<Event> events = new ArrayList<>();
    private final List<Cursor> cursors = new ArrayList<>();

    synchronized void add(Event event) {
        events.add(event);
        cursors.forEach(each -> each.available.complete(null));
    }

    /** A new reader of the events. */
    synchronized Cursor read() {
        Cursor cursor = new Cursor();
        cursors.add(cursor);
        return cursor;
    }

    /** Whether the barriers of this checkpoint have followed all events in all sources. */
    synchronized boolean allBefore(long checkpoint) {
        return cursors.stream().allMatch(each -> each.allBefore(checkpoint));
    }

    /** How far one source has read. */
    final class Cursor {
        private final Map<Long, Integer> barriers = new HashMap<>();
        private int next = 0;
        private boolean ended = false;
        private CompletableFuture<Void> available = new CompletableFuture<>();

        /** The next event, or null if all have been taken. */
        Event take() {
            synchronized (Input.this) {
                if (next == events.size()) {
                    return null;
                }
                Event event = events.get(next++);
                ended |= event.row() == null && event.watermark() == null;
                return event;
            }
        }

        /** Complete as soon as there is an event to take. */
        CompletableFuture<Void> available() {
            synchronized (Input.this) {
                if (next < events.size()) {
                    return CompletableFuture.completedFuture(null);
                }
                if (available.isDone()) {
                    available = new CompletableFuture<>();
                }
                return available;
            }
        }

        /** Notes that the barrier of this checkpoint follows the events taken so far. */
        void barrier(long checkpoint) {
            synchronized (Input.this) {
                barriers.put(checkpoint, next);
            }
        }

        private boolean allBefore(long checkpoint) {
            // A source that has ended sends no barriers, but this one may be of before its end.
            return barriers.containsKey(checkpoint) ? barriers.get(checkpoint) == events.size() : ended;
        }
    }
}
