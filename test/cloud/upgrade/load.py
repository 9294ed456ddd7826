"""
What users do during an upgrade, in a Pod of the cloud: a line of JSON per request and per operation, {at, what, kind, ok, seconds, saw}.

  polls       a GET of each API by a new connection, a second by a kept one, and a new token, each every two seconds
  operations  a server with a port; a volume, an image and a stack in turn: created, used and deleted, again and again

It is meant to occupy about half of two cores, so that what fails is an upgrade's fault and not an overloaded machine's.

IMAGE, FLAVOR and NETWORK name what servers are made of. Ends with SIGTERM; an operation in progress counts as cut.
"""
import http.client
import itertools
import json
import os
import threading
import time

LIMIT = 180
POLL = 2
PAUSE = 5
# Longer than a service waits for a reply from another one, 60 s: so its own words are seen.
TIMEOUT = 90
lock = threading.Lock()


def say(at, what, kind, ok, saw=''):
    line = {'at': at, 'what': what, 'kind': kind, 'ok': ok, 'seconds': round(time.time() - at, 3), 'saw': str(saw)[:400]}
    with lock:
        print(json.dumps(line), flush=True)


def ask(address, method, path, body=None, headers=None, connection=None):
    host, port = address
    one = connection or http.client.HTTPConnection(host, port, timeout=TIMEOUT)
    try:
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        kept = {} if connection else {'Connection': 'close'}
        one.request(method, path, data, {'Content-Type': 'application/json', **kept, **(headers or {})})
        reply = one.getresponse()
        text = reply.read()
        if reply.status >= 400:
            raise RuntimeError(f'{method} {host}{path}: {reply.status} {text[:240]!r}')
        return reply, text
    finally:
        if connection is None:
            one.close()


def login():
    user = {'name': 'admin', 'domain': {'id': 'default'}, 'password': os.environ['OS_PASSWORD']}
    scope = {'project': {'name': 'admin', 'domain': {'id': 'default'}}}
    body = {'auth': {'identity': {'methods': ['password'], 'password': {'user': user}}, 'scope': scope}}
    reply, text = ask(('keystone', 5000), 'POST', '/v3/auth/tokens', body)
    return reply.headers['X-Subject-Token'], json.loads(text)['token']['project']['id']


TOKEN, PROJECT = login()
APIS = {
    'keystone': (('keystone', 5000), '/v3'),
    'nova': (('nova', 8774), '/v2.1/servers'),
    'glance': (('glance', 9292), '/v2/images'),
    'neutron': (('neutron', 9696), '/v2.0/networks'),
    'placement': (('placement', 8780), '/resource_providers'),
    'cinder': (('cinder', 8776), f'/v3/{PROJECT}/volumes'),
    'heat': (('heat', 8004), f'/v1/{PROJECT}/stacks'),
}


def paced(work):
    while True:
        began = time.time()
        work(began)
        time.sleep(max(0, POLL - (time.time() - began)))


def poll(name, kind):
    address, path = APIS[name]
    kept = {'one': None}

    def once(at):
        try:
            if kind == 'kept' and kept['one'] is None:
                kept['one'] = http.client.HTTPConnection(*address, timeout=TIMEOUT)
            ask(address, 'GET', path, None, {'X-Auth-Token': TOKEN}, kept['one'])
            say(at, name, kind, True)
        except Exception as error:
            kept['one'] = None
            say(at, name, kind, False, f'{type(error).__name__}: {error}')

    paced(once)


def tokens():
    def once(at):
        global TOKEN
        try:
            # Used from now on: a token is valid for an hour.
            TOKEN, _ = login()
            say(at, 'token', 'new', True)
        except Exception as error:
            say(at, 'token', 'new', False, f'{type(error).__name__}: {error}')

    paced(once)


def call(api, method, path, body=None, headers=None):
    version = {'OpenStack-API-Version': 'compute 2.79'} if api == 'nova' else {}
    token = {'X-Auth-Token': TOKEN}
    _, text = ask(APIS[api][0], method, path, body, {**token, **version, **(headers or {})})
    return json.loads(text) if text and text[:1] in b'{[' else None


def until(api, path, wanted):
    end = time.time() + LIMIT
    state = ''
    while time.time() < end:
        try:
            (one,) = call(api, 'GET', path).values()
        except RuntimeError as error:
            if ': 404 ' in str(error) and wanted == 'gone':
                return
            raise
        state = one.get('status') or one.get('stack_status')
        if state == wanted:
            return
        if wanted == 'gone' and state in ('DELETE_COMPLETE', 'deleted', 'DELETED'):
            return
        if 'ERROR' in state.upper() or 'FAILED' in state:
            raise RuntimeError(f'{api} {path}: {state}: {one.get("fault", {}).get("message", one.get("stack_status_reason"))}')
        time.sleep(1)
    raise RuntimeError(f'{api} {path}: still {state} after {LIMIT} s, not {wanted}')


def life(api, collection, body, key, ready):
    """Creates an object, waits until it is ready, and deletes it."""
    created = call(api, 'POST', collection, body)
    one = created[key]['id']
    path = f'{collection}/{one}' if key != 'stack' else f'{collection}/{body["stack_name"]}/{one}'
    try:
        until(api, path, ready)
    finally:
        call(api, 'DELETE', path)
    until(api, path, 'gone')


def server():
    body = {'name': 'load', 'imageRef': os.environ['IMAGE'], 'flavorRef': os.environ['FLAVOR']}
    body['networks'] = [{'uuid': os.environ['NETWORK']}]
    life('nova', '/v2.1/servers', {'server': body}, 'server', 'ACTIVE')


def volume():
    life('cinder', f'/v3/{PROJECT}/volumes', {'volume': {'name': 'load', 'size': 1}}, 'volume', 'available')


def stack():
    template = {'heat_template_version': '2018-08-31', 'resources': {'wait': {'type': 'OS::Heat::RandomString'}}}
    # Names are unique, and one that failed may not be gone yet.
    body = {'stack_name': f'load-{time.time():.0f}', 'template': template, 'timeout_mins': 5}
    life('heat', f'/v1/{PROJECT}/stacks', body, 'stack', 'CREATE_COMPLETE')


def image():
    form = {'name': 'load', 'disk_format': 'raw', 'container_format': 'bare'}
    one = call('glance', 'POST', '/v2/images', form)['id']
    try:
        call('glance', 'PUT', f'/v2/images/{one}/file', b'x' * 4096, {'Content-Type': 'application/octet-stream'})
    finally:
        call('glance', 'DELETE', f'/v2/images/{one}')


def operations(*works):
    for work in itertools.cycle(works):
        began = time.time()
        try:
            work()
            say(began, work.__name__, 'operation', True)
        except Exception as error:
            say(began, work.__name__, 'operation', False, f'{type(error).__name__}: {error}')
        time.sleep(PAUSE)


threads = [threading.Thread(target=operations, args=works, daemon=True) for works in ((server,), (volume, image, stack))]
threads += [threading.Thread(target=poll, args=(name, kind), daemon=True) for name in APIS for kind in ('new', 'kept')]
threads.append(threading.Thread(target=tokens, daemon=True))
for thread in threads:
    thread.start()
threading.Event().wait()
