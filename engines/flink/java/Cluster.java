import java.net.URI;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * One Flink cluster in this process, for all sessions: jobs reach it as they reach any cluster.
 *
 * <p>MiniCluster is no public interface of Flink's, and the only such class that the driver names: it
 * starts what a script of Flink's would start in other processes.
 */
final class Cluster {
    private final URI address;

    Cluster() throws Exception {
        Configuration options = new Configuration();
        options.setString("rest.port", "0");
        options.setString("rest.bind-port", "0");
        options.setString("rest.address", "localhost");
        options.setString("taskmanager.memory.network.min", "32 mb");
        options.setString("taskmanager.memory.network.max", "32 mb");
        options.setString("taskmanager.memory.managed.size", "128 mb");
        MiniCluster cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(options)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(1)
                                .build());
        cluster.start();
        address = cluster.getRestAddress().get();
    }

    /** An environment whose jobs run on this cluster. */
    StreamExecutionEnvironment environment(Configuration options) {
        return StreamExecutionEnvironment.createRemoteEnvironment(
                address.getHost(), address.getPort(), options);
    }
}
