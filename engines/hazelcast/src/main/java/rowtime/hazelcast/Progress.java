package rowtime.hazelcast;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells when a job has processed all that it was fed. One thread runs all processors of the member, each once in a round,
 * and a row or a watermark moves from a processor to the next one in a round at the latest. So the job has processed
 * everything when its scans have found no event for more rounds than a plan has processors.
 */
final class Progress {
  /** No plan of a case has more than thirty processors in a row. */
  private static final int ROUNDS = 64;

  private final Map<Feed, Integer> planned = new HashMap<>();
  private final Map<InputSource, Integer> lookedBefore = new HashMap<>();

  /** Of the job that has been planned last, and that reads no other feeds. */
  Progress(List<Feed> feeds) {
    feeds.forEach(each -> planned.put(each, each.plannedScans()));
  }

  /** Begins to count again: the job was fed since the last count. */
  void countAgain() {
    lookedBefore.clear();
  }

  /** Whether the job waits for events; never if no scan is left, because the job then ends. */
  boolean isWaiting() {
    List<InputSource> open = new ArrayList<>();
    for (Map.Entry<Feed, Integer> each : planned.entrySet()) {
      List<InputSource> scans = each.getKey().scans();
      if (scans.size() < each.getValue() || !scans.stream().allMatch(InputSource::hasReadAll)) {
        lookedBefore.clear();
        return false;
      }
      scans.stream().filter(scan -> !scan.hasEnded()).forEach(open::add);
    }
    boolean waits = !open.isEmpty();
    for (InputSource scan : open) {
      int before = lookedBefore.computeIfAbsent(scan, InputSource::looks);
      waits &= scan.looks() - before > ROUNDS;
    }
    return waits;
  }
}
