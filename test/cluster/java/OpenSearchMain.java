import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;

/** OpenSearchMain HOME PLUGIN,PLUGIN key=value...: one node of OpenSearch 2 or 3, its plugins from the class path. */
public class OpenSearchMain {
    static class ClassPathNode extends Node {
        /** Its second parameter is a collection of classes in 2, of plugin infos in 3. */
        @SuppressWarnings({"unchecked", "rawtypes"})
        ClassPathNode(Environment environment, Collection plugins) {
            super(environment, plugins, false);
        }
    }

    public static void main(String[] words) throws Exception {
        Path home = Path.of(words[0]).toAbsolutePath();
        Files.createDirectories(home.resolve("config"));
        Settings.Builder settings = Settings.builder().put("path.home", home.toString());
        for (int i = 2; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            settings.put(words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        List<Object> plugins = new ArrayList<>();
        for (String name : words[1].split(",")) {
            Class<?> plugin = Class.forName(name);
            plugins.add(Version.CURRENT.major < 3 ? plugin
                : new PluginInfo(name, "on the class path", "NA", Version.CURRENT, "21", name, null, List.of(), false));
        }
        Environment environment =
            InternalSettingsPreparer.prepareEnvironment(settings.build(), Map.of(), home.resolve("config"), () -> "test");
        Node node = new ClassPathNode(environment, plugins);
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
