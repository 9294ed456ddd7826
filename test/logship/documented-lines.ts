import type { FormatName } from '../../src/logship/formats/index.ts';

const REQUEST = '[req-g1 req-r1 u1 t1 d1 all ud1 pd1]';

/** Lines that together contain every field of their format. */
export const DOCUMENTED_LINES: Readonly<Record<FormatName, readonly string[]>> = {
  oslo: [
    `2026-11-20 08:15:42.123 7 INFO nova.api ${REQUEST} 10.0.0.5 "GET /v2.1" status: 200`,
    '2026-11-20 08:15:42.123 7 INFO nova [-] up',
  ],
  uwsgi: [
    '[pid: 21|app: 0|req: 3/17] 10.0.0.5 () {58 vars in 1023 bytes} [Fri Nov 20 08:15:42 2026] GET /v3 => generated 259 bytes in 4 msecs',
  ],
  'apache-access': [
    '10.0.0.5 - admin [20/Nov/2026:08:15:42 +0200] "GET /v3/auth HTTP/1.1" 200 512 1234 "http://horizon/" "curl/8"',
    '10.0.0.5 - - [20/Nov/2026:08:15:42 +0200] "-" 408 -',
  ],
  'apache-error': [
    '[Fri Nov 20 08:15:42.123456 2026] [wsgi:error] [pid 21:tid 139] [client 10.0.0.5:41122] mod_wsgi: text',
    '2026-11-20 08:15:42.123456 text',
  ],
  mariadb: ['2026-11-20  8:15:42 7 [Note] ready for connections'],
  xinetd: ['26/11/20@08:15:42: START: mysqlchk pid=7 from=10.0.0.5'],
  rabbitmq: ['2026-11-20 08:15:42.123456+00:00 [info] <0.7.0> accepting AMQP connection'],
  libvirt: ['2026-11-20 08:15:42.123+0000: 7: error : virNetSocketReadWire:1811 : End of file'],
  openvswitch: ['2026-11-20T08:15:42.123Z|00007|bridge|INFO|bridge br-int: added interface'],
  lego: ['2026/11/20 08:15:42 [INFO] [api.example.org] acme: Obtaining bundled SAN certificate'],
  valkey: ['7:M 20 Nov 2026 08:15:42.123 * Ready to accept connections'],
  haproxy: [
    '<142>1 2026-11-20T08:15:42.123Z lb1 haproxy 12 ID7 [x@1 a="b"] 10.0.0.9:41122 [20/Nov/2026:08:15:42.102] fe~ be/c1 0/0/1/20/21 200 1234 - - ---- 1/1/0/0/0 0/0 {ua} {type} "GET /v3 HTTP/1.1"',
    '<142>1 2026-11-20T08:15:42.123Z - haproxy 12 - - 10.0.0.9:41122 [20/Nov/2026:08:15:42.102] fe~ be/c1 0/0/1/20/21 400 1234 - - ---- 1/1/0/0/0 0/0 "<BADREQ>"',
  ],
  skyline: [
    '2026-11-20 08:15:42.123 | INFO     | skyline_apiserver.main:login:12 - text',
    '[2026-11-20 08:15:42 +0000].123 7 INFO [-] 10.0.0.5:41122 - "GET /api/v1/login HTTP/1.1" 200',
  ],
  syslog: ['<30>1 2026-11-20T08:15:42.123Z lb1 keepalived 12 ID7 [x@1 a="b"] entering MASTER state'],
  json: [
    '{"message": "up", "asctime": "2026-11-20 08:15:42,123", "name": "nova.api", "levelname": "INFO", "created": 1795162542.123, "process": 7, "traceback": "Traceback: x", "hostname": "node1", "context": {"global_request_id": "req-g1", "request_id": "req-r1", "user": "u1", "project_id": "t1", "domain": "d1", "system_scope": "all", "user_domain": "d2", "project_domain": "d3"}}',
    '{"level":"info","ts":"2026-11-20T08:15:42.123Z","logger":"raft","caller":"a.go:64","msg":"up","error":"x"}',
    '{"starttime":"2026-11-20 08:15:42.123456","username":"nova","query":"SELECT 1","duration_us":1234}',
  ],
  whole: ['2026-11-20 08:15:42 anything'],
};
