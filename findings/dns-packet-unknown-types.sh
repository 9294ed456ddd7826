#!/bin/sh
# dns-packet 5.6.1 (what bonjour-service, multicast-dns and many resolvers encode with), on Node 20 or later.
# Guess: a question for a record type that the library does not know, such as HTTPS (RFC 9460) or URI (RFC 7553), is an error.
# Seen: it is sent as type 0, which is reserved, and a server answers that with an empty NOERROR or FORMERR: the name seems to have no such
# record. TYPE65, the notation of RFC 3597, becomes 0 too; the only way is the library's own name for a type it does not know, UNKNOWN_65.
# Output seen:
#   CAA         257
#   HTTPS       0
#   SVCB        0
#   URI         0
#   TYPE65      0
#   UNKNOWN_65  65
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund dns-packet@5.6.1 > /dev/null
cat > main.cjs <<'JS'
const { encode } = require('dns-packet');
for (const type of ['CAA', 'HTTPS', 'SVCB', 'URI', 'TYPE65', 'UNKNOWN_65']) {
  const bytes = encode({ type: 'query', id: 1, questions: [{ type, name: 'example.org' }] });
  // The type is the last field but one of a packet with a single question.
  console.log(type.padEnd(11), bytes.readUInt16BE(bytes.length - 4));
}
JS
node main.cjs > out
cat out
printf '%-11s %s\n' CAA 257 HTTPS 0 SVCB 0 URI 0 TYPE65 0 UNKNOWN_65 65 > want
cmp out want
