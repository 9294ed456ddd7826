"""oslo.messaging as a service uses it: FILE serve TOPIC SERVER, or FILE client SOCKET, with a JSON request per connection."""
import base64
import json
import socketserver
import sys
import threading
import time
import urllib.request

import oslo_messaging
from oslo_config import cfg

config, command, *rest = sys.argv[1:]
cfg.CONF(['--config-file', config], project='test', default_config_dirs=[])


def say(*words):
    print(*words, flush=True)


class Endpoint:
    """Methods for RPC and notifications. `took` has the texts of both, once each."""

    def __init__(self):
        self.took = {}

    def take(self, context, text):
        self.event('rpc ' + text).set()
        say('took', text)
        return 'answered'

    def info(self, context, publisher, event, payload, metadata):
        self.event('notification ' + payload['text']).set()

    def event(self, name):
        return self.took.setdefault(name, threading.Event())


rpc = oslo_messaging.get_rpc_transport(cfg.CONF)
notifications = oslo_messaging.get_notification_transport(cfg.CONF)


def rpc_server(topic, name, endpoint):
    target = oslo_messaging.Target(topic=topic, server=name)
    return oslo_messaging.get_rpc_server(rpc, target, [endpoint], executor='threading')


def client(topic):
    return oslo_messaging.get_rpc_client(rpc, oslo_messaging.Target(topic=topic), timeout=20)


def call(topic, text):
    try:
        return client(topic).call({}, 'take', text=text)
    except (oslo_messaging.MessagingTimeout, oslo_messaging.MessageDeliveryFailure) as error:
        return type(error).__name__


def cast(topic, text):
    client(topic).cast({}, 'take', text=text)


def fanout(topic, text):
    client(topic).prepare(fanout=True).cast({}, 'take', text=text)


def notify(topic, text):
    notifier = oslo_messaging.Notifier(notifications, 'test', driver='messagingv2', topics=[topic])
    notifier.info({}, 'test', {'text': text})


def receive(topic, notes, text):
    """Starts a server and a listener, which take what waits; without a text only the server's queue is declared."""
    endpoint = Endpoint()
    servers = [rpc_server(topic, 'gone', endpoint)]
    if text:
        target = oslo_messaging.Target(topic=notes)
        servers.append(
            oslo_messaging.get_notification_listener(notifications, [target], [endpoint], executor='threading')
        )
    for server in servers:
        server.start()
    for name in ['rpc ' + text, 'notification ' + text] if text else []:
        endpoint.event(name).wait()
    for server in servers:
        server.stop()
        server.wait()


def read(host, path):
    request = urllib.request.Request(f'http://{host}:15672/api/{path}')
    request.add_header('authorization', 'Basic ' + base64.b64encode(b'guest:guest').decode())
    return json.load(urllib.request.urlopen(request))


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        name, *words = json.loads(self.rfile.readline())
        run = {'call': call, 'cast': cast, 'fanout': fanout, 'notify': notify, 'receive': receive, 'read': read}[name]
        self.wfile.write((json.dumps(run(*words)) + '\n').encode())


if command == 'serve':
    rpc_server(*rest, Endpoint()).start()
    say('serving')
    time.sleep(3600)
else:
    server = socketserver.UnixStreamServer(rest[0], Handler)
    say('serving')
    server.serve_forever()
