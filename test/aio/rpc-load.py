"""Calls of oslo.messaging to a server of its own, one after the other, until it is killed: a line of JSON for each."""
import json
import sys
import time

from oslo_config import cfg
import oslo_messaging

# oslo.messaging registers some options here alone.
conf = cfg.CONF
conf([], default_config_files=[sys.argv[1]])
transport = oslo_messaging.get_rpc_transport(conf)


class Endpoint:
    def add(self, context, number):
        return number + 1


server = oslo_messaging.get_rpc_server(
    transport, oslo_messaging.Target(topic='load', server='one'), [Endpoint()], executor='threading'
)
server.start()
client = oslo_messaging.get_rpc_client(transport, oslo_messaging.Target(topic='load'))
number = 0
while True:
    began = time.monotonic()
    try:
        result = client.call({}, 'add', number=number)
        outcome = {'ok': result == number + 1}
    except Exception as error:
        outcome = {'ok': False, 'error': f'{type(error).__name__}: {error}'}
    print(json.dumps({'seconds': round(time.monotonic() - began, 3), **outcome}), flush=True)
    number += 1
    time.sleep(0.05)
