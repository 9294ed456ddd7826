#!/var/lib/kolla/venv/bin/python3
"""Reports as an Open vSwitch agent does, on a node without one: it is alive, and every port bound to its host is up.

It takes the agent's place and arguments (--config-file ...), and wires nothing.
"""

import sys
import time

import oslo_messaging
from neutron.agent import rpc
from neutron.common import config
from neutron.conf.agent import common as agent_config
from neutron_lib import constants, context
from neutron_lib import rpc as n_rpc
from neutron_lib.agent import topics
from oslo_config import cfg
from oslo_log import log as logging

LOG = logging.getLogger('neutron.l2_agent')
REPORT_SECONDS = 20


class PortUpdates:
    """Receives what Neutron sends to all agents."""

    target = oslo_messaging.Target(version='1.4')

    def __init__(self, host):
        self.host = host
        self.plugin = rpc.PluginApi(topics.PLUGIN)
        self.context = context.get_admin_context_without_session()

    def port_update(self, _context, **arguments):
        port = arguments.get('port') or {}
        if port.get('binding:host_id') != self.host or port.get('status') == constants.ACTIVE:
            return
        self.plugin.update_device_up(self.context, port['id'], f'ovs-agent-{self.host}', self.host)
        LOG.info('Port %s reported up', port['id'])

    def __getattr__(self, name):
        """Other messages change nothing here."""
        if name.startswith(('_', 'oslo_')):
            raise AttributeError(name)
        return lambda _context, **arguments: None


def main():
    config.register_common_config_options()
    agent_config.register_agent_state_opts_helper(cfg.CONF)
    config.init(sys.argv[1:])
    config.setup_logging()
    host = cfg.CONF.host
    state = {
        'binary': constants.AGENT_PROCESS_OVS,
        'host': host,
        'topic': constants.L2_AGENT_TOPIC,
        'agent_type': constants.AGENT_TYPE_OVS,
        'start_flag': True,
        'configurations': {
            'bridge_mappings': {},
            'tunnel_types': ['vxlan'],
            'tunneling_ip': '127.0.0.1',
            'l2_population': True,
            'datapath_type': 'system',
            'ovs_hybrid_plug': False,
            'extensions': [],
        },
    }
    connection = n_rpc.Connection()
    topic = topics.get_topic_name(topics.AGENT, topics.PORT, topics.UPDATE)
    connection.create_consumer(topic, [PortUpdates(host)], fanout=True)
    connection.consume_in_threads()
    reports = rpc.PluginReportStateAPI(topics.REPORTS)
    while True:
        try:
            reports.report_state(context.get_admin_context_without_session(), state, True)
        except oslo_messaging.MessagingTimeout:
            # As the agent does: the server may not have started yet.
            LOG.warning('Report not answered, sent again')
            continue
        state.pop('start_flag', None)
        time.sleep(REPORT_SECONDS)


main()
