import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsSourceWatermark;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

/** Tables WITH ('connector' = 'input', 'name' = …): they read the {@link Input} of that name. */
public final class InputTableFactory implements DynamicTableSourceFactory {
    private static final ConfigOption<String> NAME =
            ConfigOptions.key("name").stringType().noDefaultValue();
    private static final ConfigOption<Boolean> BOUNDED =
            ConfigOptions.key("bounded").booleanType().defaultValue(false);
    private static final ConfigOption<Changes> CHANGES =
            ConfigOptions.key("changes").enumType(Changes.class).defaultValue(Changes.NONE);

    /** What the events of an input do: insert rows; and delete them; or write and remove keys. */
    enum Changes {
        NONE,
        RETRACT,
        UPSERT;

        ChangelogMode mode() {
            return switch (this) {
                case NONE -> ChangelogMode.insertOnly();
                // Flink plans no Top-N over a table that declares inserts and deletes alone.
                case RETRACT -> ChangelogMode.all();
                case UPSERT -> ChangelogMode.upsert();
            };
        }
    }

    @Override
    public String factoryIdentifier() {
        return "input";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(NAME);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(BOUNDED, CHANGES);
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        var helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        return new InputTable(
                helper.getOptions().get(NAME),
                helper.getOptions().get(BOUNDED),
                helper.getOptions().get(CHANGES),
                context.getPhysicalRowDataType());
    }

    private record InputTable(String name, boolean bounded, Changes changes, DataType type)
            implements ScanTableSource, SupportsSourceWatermark {
        @Override
        public ChangelogMode getChangelogMode() {
            return changes.mode();
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            var converter = context.createDataStructureConverter(type);
            return SourceProvider.of(new InputSource(name, converter, bounded));
        }

        @Override
        public void applySourceWatermark() {}

        @Override
        public DynamicTableSource copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return name;
        }
    }
}
