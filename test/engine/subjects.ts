import { bitString, der, sequence, utf8String } from '../cluster/der.ts';
import { nameOf } from './certificates.ts';

const utf16 = (text: string) => Buffer.from(text, 'utf16le').swap16();
const utf32 = (text: string) =>
  Buffer.concat(
    Array.from(text, (c) => Buffer.from([0, c.codePointAt(0)! >> 16, c.codePointAt(0)! >> 8, c.codePointAt(0)!])),
  );

/** Subjects as found in real certificates, and unusual ones. */
export const SUBJECTS: Readonly<Record<string, Buffer>> = {
  plain: nameOf([utf8String('Kolla CA')]),
  'UTF-8, capitals and spaces': nameOf([utf8String('  ÜBER   Straße\t日本  CA ')]),
  'PrintableString, as capitals': nameOf([der(0x13, Buffer.from('ACME  Root  ABCDEFGHIJKLMNOPQRSTUVWXYZ '))]),
  'T61String, as Latin-1': nameOf([der(0x14, Buffer.from('M\u00dcLLER  \u00e9', 'latin1'))]),
  IA5String: nameOf([der(0x16, Buffer.from('Admin@Example.ORG'))]),
  'NumericString, which stays as it is': nameOf([der(0x12, Buffer.from(' 12  34 '))]),
  BMPString: nameOf([der(0x1e, utf16(' Ünï  CODE 日本 '))]),
  'UniversalString, beyond the first plane': nameOf([der(0x1c, utf32(' Ünï  😀 '))]),
  'several values in one part, in no order': nameOf([utf8String('zz'), utf8String('B'), der(0x13, Buffer.from('a'))]),
  'several parts': nameOf([utf8String('One')], [utf8String('TWO'), utf8String('t')], [der(0x16, Buffer.from('three'))]),
  'a part without values': nameOf([], [utf8String('x')]),
  nothing: nameOf(),
  'an empty text': nameOf([utf8String('')]),
  'spaces alone': nameOf([utf8String(' \t ')]),
  'line ends': nameOf([utf8String('a\r\n\v\fb\n')]),
  'a text of more than 127 bytes': nameOf([utf8String('Long Name '.repeat(30))]),
  bits: nameOf([bitString(Buffer.from([0xa5, 0x80]), 7)]),
  'a sequence': nameOf([sequence(utf8String('Inner  Text'))]),
  'NUL and control characters': nameOf([utf8String('a\0b\u0001C')]),
};
