/**
 * A real rsyslog for comparison, shipping log files to Elasticsearch: Debian's packages, unpacked -> a configuration
 * (imfile -> mmnormalize -> omelasticsearch) -> a process with its own state and pid file, which runs until stopped.
 *
 * With its defaults it does less work than kolla-log-ship: it sends no ids, since imfile provides no offset, and writes
 * its position only on a stop.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { Capability } from '../../tools/capability.ts';
import { must, start, tied, type Running } from '../../tools/process.ts';
import { libraryDirectories, unpackedPackages } from '../../tools/debian.ts';

export interface RsyslogOptions {
  /** Paths or globs of log files. */
  readonly files: readonly string[];
  /** A loopback port that accepts its bulk requests. */
  readonly port: number;
  /** `raw`: time, line and path. `parsed`: the fields of a line in oslo.log's format, under Kolla's names. */
  readonly documents: 'raw' | 'parsed';
  readonly index: string;
  /** An empty directory for its configuration, state and pid file. */
  readonly directory: string;
}

/** Tested by checking a configuration. */
export const canRunRsyslog: Capability = async () => {
  try {
    await rsyslogVersion();
    return undefined;
  } catch (error) {
    return `no rsyslog: ${messageOf(error)}`;
  }
};

/** The version, such as `8.2302.0`. */
async function rsyslogVersion(): Promise<string> {
  const { program, env } = await unpacked();
  const said = await must(program, ['-v'], { env });
  return /\d+\.\d+\.\d+/.exec(said)?.[0] ?? said;
}

/** Starts an rsyslog. Its errors go to `rsyslog.log` in the directory. */
export async function startRsyslog(options: RsyslogOptions): Promise<Running> {
  const { program, modules, env } = await unpacked();
  const { directory } = options;
  const config = join(directory, 'rsyslog.conf');
  await writeFile(join(directory, 'oslo.rulebase'), RULEBASE);
  await writeFile(config, configOf(options));
  const args = ['-n', '-f', config, '-i', join(directory, 'pid'), '-M', modules];
  return await start(...tied(program, args), { env, cwd: directory, logFile: join(directory, 'rsyslog.log') });
}

async function unpacked(): Promise<{ program: string; modules: string; env: NodeJS.ProcessEnv }> {
  const packages = ['rsyslog', 'rsyslog-elasticsearch'];
  const usr = join(await unpackedPackages('rsyslog', packages, { except: ['libc6'] }), 'usr');
  const libraries = await libraryDirectories(usr);
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: libraries.join(':') };
  return { program: join(usr, 'sbin/rsyslogd'), modules: `${libraries[0]}/rsyslog`, env };
}

const CONTEXT = ['user_id', 'tenant_id', 'domain_id', 'system_scope', 'user_domain'];
const RULEBASE = `version=2
rule=:%date:word% %clock:word% %Pid:word% %log_level:word% %python_module:word% [None req-%request_id:word% ${CONTEXT.map((name) => `%${name}:word%`).join(' ')} %project_domain:char-to:]%] %Payload:rest%
`;

/** Members of a JSON object, by name, from rsyslog properties. */
function template(name: string, members: readonly (readonly [string, string])[], first: string): string {
  const one = ([member, property]: readonly [string, string]) =>
    `  constant(value=",\\"${member}\\":\\"") property(name="${property}" format="json") constant(value="\\"")`;
  return [`template(name="${name}" type="list") {`, first, ...members.map(one), '  constant(value="}")', '}'].join(
    '\n',
  );
}

const TEMPLATES = {
  raw: template(
    'documents',
    [
      ['message', 'msg'],
      ['log.file.path', '$!metadata!filename'],
    ],
    `  constant(value="{\\"@timestamp\\":\\"") property(name="timereported" dateFormat="rfc3339") constant(value="\\"")`,
  ),
  parsed: template(
    'documents',
    [
      ...['Pid', 'log_level', 'python_module', 'request_id', ...CONTEXT, 'project_domain', 'Payload'].map(
        (name) => [name, `$!${name}`] as const,
      ),
      ['Hostname', 'hostname'],
      ['programname', 'programname'],
    ],
    [
      '  constant(value="{\\"@timestamp\\":\\"") property(name="$!date") constant(value="T") property(name="$!clock")',
      '  constant(value="Z\\",\\"Timestamp\\":\\"") property(name="$!date") constant(value=" ") property(name="$!clock") constant(value="\\"")',
    ].join('\n'),
  ),
};

function configOf({ files, port, documents, index, directory }: RsyslogOptions): string {
  const inputs = files.map(
    (file) => `input(type="imfile" file="${file}" tag="kolla" addMetadata="on" freshStartTail="off")`,
  );
  return `global(workDirectory="${directory}" maxMessageSize="1m")
main_queue(queue.type="linkedList" queue.size="100000" queue.dequeueBatchSize="2000")
module(load="imfile" mode="inotify")
module(load="omelasticsearch")
module(load="mmnormalize")
${TEMPLATES[documents]}
${inputs.join('\n')}
${documents === 'parsed' ? `action(type="mmnormalize" rulebase="${directory}/oslo.rulebase" useRawMsg="off")` : ''}
action(type="omelasticsearch" server="127.0.0.1" serverport="${port}" template="documents" searchIndex="${index}"
  searchType="" bulkmode="on" maxbytes="1m" action.resumeRetryCount="-1")
`;
}
