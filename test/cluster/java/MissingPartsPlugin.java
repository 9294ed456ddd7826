package kollapod;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.email.UAX29URLEmailTokenizer;
import org.apache.lucene.analysis.miscellaneous.RemoveDuplicatesTokenFilter;
import org.apache.lucene.analysis.pattern.PatternCaptureGroupTokenFilter;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.datastreams.CreateDataStreamAction;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.action.support.master.TransportMasterNodeAction;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.block.ClusterBlockException;
import org.elasticsearch.cluster.block.ClusterBlockLevel;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.metadata.MetadataCreateDataStreamService;
import org.elasticsearch.cluster.metadata.MetadataCreateDataStreamService.CreateDataStreamClusterStateUpdateRequest;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.action.RestToXContentListener;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;

/**
 * The parts a shipper needs of modules that the test distribution lacks: the analyzer used by the index of API keys
 * (analysis-common), and an endpoint that creates data streams (data-streams).
 */
public class MissingPartsPlugin extends Plugin implements ActionPlugin, AnalysisPlugin {
    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        return Map.of(
            "pattern_capture", AnalysisPlugin.requiresAnalysisSettings((index, environment, name, settings) -> {
                Pattern[] patterns =
                    settings.getAsList("patterns").stream().map(Pattern::compile).toArray(Pattern[]::new);
                boolean preserve = settings.getAsBoolean("preserve_original", true);
                return filter(name, stream -> new PatternCaptureGroupTokenFilter(stream, preserve, patterns));
            }),
            "lowercase", (index, environment, name, settings) -> filter(name, LowerCaseFilter::new),
            "unique", (index, environment, name, settings) -> filter(name, RemoveDuplicatesTokenFilter::new));
    }

    @Override
    public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
        return Map.of("uax_url_email",
            (index, environment, name, settings) -> TokenizerFactory.newFactory(name, UAX29URLEmailTokenizer::new));
    }

    private static TokenFilterFactory filter(String name, UnaryOperator<TokenStream> make) {
        return new TokenFilterFactory() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public TokenStream create(TokenStream stream) {
                return make.apply(stream);
            }
        };
    }

    @Override
    @SuppressWarnings({"rawtypes", "unchecked"})
    public Collection getActions() {
        return List.of(new ActionHandler(CreateDataStreamAction.INSTANCE, CreateDataStream.class));
    }

    @Override
    public Collection<RestHandler> getRestHandlers(Settings settings, NamedWriteableRegistry registry,
            RestController controller, ClusterSettings clusterSettings, IndexScopedSettings indexSettings,
            SettingsFilter filter, IndexNameExpressionResolver resolver, Supplier<DiscoveryNodes> nodes,
            Predicate<NodeFeature> features) {
        return List.of(new PutDataStream());
    }

    static class PutDataStream extends BaseRestHandler {
        @Override
        public String getName() {
            return "put_data_stream";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.PUT, "/_data_stream/{name}"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            TimeValue patience = TimeValue.timeValueSeconds(30);
            CreateDataStreamAction.Request made =
                new CreateDataStreamAction.Request(patience, patience, request.param("name"));
            return channel -> client.execute(CreateDataStreamAction.INSTANCE, made, new RestToXContentListener<>(channel));
        }
    }

    public static class CreateDataStream
            extends TransportMasterNodeAction<CreateDataStreamAction.Request, AcknowledgedResponse> {
        private final MetadataCreateDataStreamService service;

        @Inject
        public CreateDataStream(TransportService transport, ClusterService cluster, ThreadPool threads,
                ActionFilters filters, MetadataCreateDataStreamService service) {
            super(CreateDataStreamAction.NAME, transport, cluster, threads, filters, CreateDataStreamAction.Request::new,
                AcknowledgedResponse::readFrom, threads.executor(ThreadPool.Names.MANAGEMENT));
            this.service = service;
        }

        @Override
        protected void masterOperation(Task task, CreateDataStreamAction.Request request, ClusterState state,
                ActionListener<AcknowledgedResponse> listener) {
            service.createDataStream(new CreateDataStreamClusterStateUpdateRequest(request.getName(),
                request.getStartTime(), null, request.masterNodeTimeout(), request.ackTimeout(), true), listener);
        }

        @Override
        protected ClusterBlockException checkBlock(CreateDataStreamAction.Request request, ClusterState state) {
            return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_WRITE);
        }
    }
}
