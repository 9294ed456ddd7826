/** A wording that sources, comments, titles and messages must not contain, and the term to use instead. */
export interface Word {
  readonly pattern: RegExp;
  readonly write: string;
}

/** Between quotes, in a path or in a name, a word is data, such as the user nobody. */
const bare = (word: string): RegExp => new RegExp(String.raw`(?<![\w'"\`./:{-])(?:${word})(?![\w'"\`-])`, 'i');

export const WORDS: readonly Word[] = [
  { pattern: /folder/i, write: 'directory' },
  { pattern: bare('blanks'), write: 'spaces' },
  { pattern: bare('nobody'), write: 'no process, no client, no user: whichever it is' },
  { pattern: bare('somebody'), write: 'another process, a client, the user: whichever it is' },
  { pattern: bare('for good'), write: 'permanently' },
  { pattern: bare('ma(?:de|kes?|king) anew'), write: 're-created, restarted' },
  { pattern: bare('(?:given|gives?|gave|giving) back'), write: 'released (Lease, lock), reclaimed (disk)' },
  { pattern: bare('(?:begun|begins?|began|beginning) again'), write: 'restarted, starts again' },
  { pattern: bare('pass(?:ed|es|ing)? over'), write: 'skipped' },
  { pattern: bare('(?:go|goes|went|going) on where'), write: 'resumes' },
  { pattern: bare('mend(?:s|ed|ing)?'), write: 'fix' },
  { pattern: bare('without a word'), write: 'silently' },
  { pattern: bare('shared out'), write: 'split' },
  { pattern: bare('name servers?'), write: 'DNS server' },
  { pattern: bare('half[- ]applied'), write: 'partially applied' },
  { pattern: bare('right already'), write: 'unchanged, up to date' },
  { pattern: bare('at the very first start'), write: 'on first start' },
  {
    pattern: /\bexport (?:interface|type|class|const|function) (?:Asked|Found|Held|Place|Verdict|Wanted|Way)\b/,
    write: 'what it is: each of these names stood for four to eight things',
  },
];

/** Whether *.md files are checked too. */
export const INCLUDES_MARKDOWN = false;

/** Lines in which a word is right, as `file: line`, without spaces at the ends of the line. At most 30. */
export const EXCEPTIONS: readonly string[] = [
  'bench/soak/demo-as-nobody.sh: # make demo as a stranger would: a fresh clone, an empty home, no root. As root it becomes the user nobody first.',
  'src/container/start/service.ts: if [[ $2 != nobody && -d /dev-mode && -d /var/lib/kolla/venv ]] && type -P kolla_install_projects > /dev/null; then',

  `test/contract/extend-start/runs.ts: const START = \`text=$(cat /start.sh; echo x); exec bash -c "\\\${text%x}" /usr/local/bin/kolla_start /run/kolla/run_command nobody ''\`;`,
  `test/contract/sudo/cases.ts: const line = \`bash -c "$(cat /start.sh; echo x)" kolla_start /etc/passwd nobody ''\`;`,
  'test/sidecar/supervisor.test.ts: assert.match(stdout, /^failed, .*boom\\nfailing\\nends with nobody\\n$/);',
  "test/toolbox/stages/init.ts: const replace = { '--image /': `--image / --user nobody --config-dir ${directory}` };",
];
