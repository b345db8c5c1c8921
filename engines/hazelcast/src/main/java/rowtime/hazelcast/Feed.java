package rowtime.hazelcast;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the kit has fed to a table or stream: each scan of it in a query reads all events, at its own pace. */
final class Feed {

  /** An event of an input. */
  sealed interface Event {}

  /** A row, with the values that Hazelcast has for the types of its columns. */
  record Row(Object[] values) implements Event {}

  /** No later row is below this time, in milliseconds since 1970. */
  record Bound(long at) implements Event {}

  /** There are no later rows. */
  record End() implements Event {}

  private static final Map<String, Feed> BY_NAME = new ConcurrentHashMap<>();

  private final List<Event> events = new ArrayList<>();
  private final List<InputSource> scans = new ArrayList<>();
  private int planned;

  /** The feed of a mapping, which is made at the first request for it. */
  static Feed of(String mapping) {
    return BY_NAME.computeIfAbsent(mapping, name -> new Feed());
  }

  static void forget(String mapping) {
    BY_NAME.remove(mapping);
  }

  synchronized void add(Event event) {
    events.add(event);
  }

  /** The event at a place, counted from 0, or null if there is none yet. */
  synchronized Event get(int place) {
    return place < events.size() ? events.get(place) : null;
  }

  synchronized int size() {
    return events.size();
  }

  /** Notes that a plan has one more scan of this feed. */
  synchronized void planScan() {
    planned++;
  }

  /** The number of scans in the plans so far. */
  synchronized int plannedScans() {
    return planned;
  }

  /** Notes that a scan has begun to run. */
  synchronized void begin(InputSource scan) {
    scans.add(scan);
  }

  /** The scans that run or have ended. */
  synchronized List<InputSource> scans() {
    return List.copyOf(scans);
  }
}
