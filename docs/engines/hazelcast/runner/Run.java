import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.sql.SqlResult;
import com.hazelcast.sql.SqlRow;
import com.hazelcast.sql.SqlService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/**
 * Runs the statements of a file on one member of Hazelcast, and prints the rows of its queries. A query over a stream has
 * no end: it is closed after three seconds.
 *
 * <p>mvn dependency:copy-dependencies -DoutputDirectory=lib; java -cp 'lib/*' Run.java ../union-of-two-windows.sql
 */
public class Run {
  public static void main(String[] files) throws Exception {
    Config config = new Config();
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "none");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getJetConfig().setEnabled(true);
    SqlService sql = Hazelcast.newHazelcastInstance(config).getSql();
    String script = Files.readString(Path.of(files[0])).replaceAll("(?m)^--.*", "");
    try (Scanner statements = new Scanner(script).useDelimiter(";\\s*")) {
      statements.forEachRemaining(each -> run(sql, each.trim()));
    }
    Runtime.getRuntime().halt(0);
  }

  private static void run(SqlService sql, String statement) {
    if (statement.isEmpty()) {
      return;
    }
    System.out.println(statement);
    try (SqlResult result = sql.execute(statement)) {
      if (result.isRowSet()) {
        System.out.println("   : " + result.getRowMetadata().getColumns());
        Thread reader = new Thread(() -> read(result));
        reader.start();
        reader.join(3000);
      }
    } catch (Exception error) {
      System.out.println("   " + message(error));
    }
  }

  private static void read(SqlResult result) {
    try {
      for (SqlRow row : result) {
        List<Object> values = new ArrayList<>();
        for (int column = 0; column < row.getMetadata().getColumnCount(); column++) {
          values.add(row.getObject(column));
        }
        System.out.println("   " + values);
      }
    } catch (Exception error) {
      if (!message(error).contains("cancelled")) {
        System.out.println("   " + message(error));
      }
    }
  }

  private static String message(Exception error) {
    String line = String.valueOf(error.getMessage()).lines().findFirst().orElse("");
    return line.substring(line.lastIndexOf("}: ") + 1).replaceFirst("^: ", "");
  }
}
