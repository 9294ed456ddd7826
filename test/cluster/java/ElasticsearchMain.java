import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** ElasticsearchMain HOME CONFIG key=value...: one node of Elasticsearch 9 without its launcher, modules from HOME/modules. */
public class ElasticsearchMain {
    public static void main(String[] words) throws Exception {
        Path config = Path.of(words[1]).toAbsolutePath();
        Files.createDirectories(config);
        LogConfigurator.configureESLogging();
        Settings.Builder settings = Settings.builder().put("path.home", Path.of(words[0]).toAbsolutePath().toString());
        for (int i = 2; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            settings.put(words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        Environment environment = InternalSettingsPreparer.prepareEnvironment(settings.build(), Map.of(), config, () -> "test");
        PluginsLoader plugins = PluginsLoader.createPluginsLoader(
            PluginsLoader.loadModulesBundles(environment.modulesDir(), false),
            PluginsLoader.loadPluginsBundles(environment.pluginsDir(), false),
            Map.of(),
            false); // the server itself is on the class path
        Node node = new Node(environment, plugins);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }));
        node.start();
        Thread.currentThread().join();
    }
}
