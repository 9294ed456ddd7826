package kollapod;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.datastreams.CreateDataStreamAction;
import org.elasticsearch.action.support.ActionFilters;
import org.elasticsearch.action.support.master.AcknowledgedResponse;
import org.elasticsearch.action.support.master.TransportMasterNodeAction;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.block.ClusterBlockException;
import org.elasticsearch.cluster.block.ClusterBlockLevel;
import org.elasticsearch.cluster.metadata.DataStream;
import org.elasticsearch.cluster.metadata.MetadataCreateDataStreamService;
import org.elasticsearch.cluster.metadata.MetadataCreateDataStreamService.CreateDataStreamClusterStateUpdateRequest;
import org.elasticsearch.cluster.metadata.ProjectId;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.core.TimeValue;
import org.elasticsearch.features.FeatureSpecification;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.index.mapper.Mapper;
import org.elasticsearch.index.mapper.TextFieldMapper;
import org.elasticsearch.ingest.AbstractProcessor;
import org.elasticsearch.ingest.IngestDocument;
import org.elasticsearch.ingest.Processor;
import org.elasticsearch.injection.guice.Inject;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.IngestPlugin;
import org.elasticsearch.plugins.MapperPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.action.RestToXContentListener;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.threadpool.ThreadPool;
import org.elasticsearch.transport.TransportService;

/**
 * The parts of modules that the jars in Maven Central lack: an endpoint that creates data streams and the declaration
 * that the node has failure stores (data-streams), the field type of their messages, here like `text` (mapper-extras),
 * and the processor `drop` (ingest-common). Data streams, failure stores and pipelines themselves are the server's own.
 */
public class MissingPartsOf9Plugin extends Plugin implements ActionPlugin, IngestPlugin, MapperPlugin {
    /** Found by its name in META-INF/services. */
    public static class Features implements FeatureSpecification {
        @Override
        public Set<NodeFeature> getFeatures() {
            return Set.of(DataStream.DATA_STREAM_FAILURE_STORE_FEATURE);
        }
    }

    @Override
    public Map<String, Mapper.TypeParser> getMappers() {
        return Map.of("match_only_text", TextFieldMapper.PARSER);
    }

    @Override
    public Map<String, Processor.Factory> getProcessors(Processor.Parameters parameters) {
        return Map.of("drop", (factories, tag, description, config, project) -> new Drop(tag, description));
    }

    static class Drop extends AbstractProcessor {
        Drop(String tag, String description) {
            super(tag, description);
        }

        @Override
        public IngestDocument execute(IngestDocument document) {
            return null;
        }

        @Override
        public String getType() {
            return "drop";
        }
    }

    @Override
    @SuppressWarnings({"rawtypes", "unchecked"})
    public Collection getActions() {
        return List.of(new ActionHandler(CreateDataStreamAction.INSTANCE, CreateDataStream.class));
    }

    @Override
    public Collection<RestHandler> getRestHandlers(RestHandlersServices services, Supplier<DiscoveryNodes> nodes,
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
            service.createDataStream(new CreateDataStreamClusterStateUpdateRequest(ProjectId.DEFAULT, request.getName(),
                request.getStartTime(), null, request.masterNodeTimeout(), request.ackTimeout()), listener);
        }

        @Override
        protected ClusterBlockException checkBlock(CreateDataStreamAction.Request request, ClusterState state) {
            return state.blocks().globalBlockedException(ClusterBlockLevel.METADATA_WRITE);
        }
    }
}
