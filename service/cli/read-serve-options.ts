import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import type { Allowance } from '../accounts/account.ts';
import type { ReceiversChoice } from '../receivers/feeds/open-feeds.ts';
import { readReceivers } from '../receivers/feeds/read-receivers.ts';
import { DEFAULT_ALLOWANCE, DEFAULT_PREFIX } from '../server/start-service.ts';
import type { SourceChoice } from '../sources/open-source.ts';
import {
  CommandArguments,
  oneKeyAllowanceForm,
  pathForm,
  userPath,
  type ValueForm,
  wholeNumber,
  wholeNumberPair,
} from './read-arguments.ts';

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly source: SourceChoice;
  readonly prefix: string;
  /** The allowance of a service without a data directory. */
  readonly allowance: Allowance;
  /** Whether requests are counted: not with --allowance none. */
  readonly isCounted: boolean;
  readonly dataDir: string | undefined;
  readonly receivers: ReceiversChoice | undefined;
  /** The port for stations that push; 0 for any free one. */
  readonly pushPort: number | undefined;
  readonly keepDays: number | undefined;
  /** Room for positions on disk; the oldest are deleted first. */
  readonly keepBytes: number | undefined;
  /** Serves one account with a new key instead. */
  readonly oneKey: boolean;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly proxies: BlockList | undefined;
  readonly control: boolean;
  readonly announce: boolean;
  readonly exitWithParent: boolean;
  /** The key from SERVICE_API_KEY; otherwise one is generated. */
  readonly apiKey: string | undefined;
}

export type ReadServeOptions =
  | { readonly ok: true; readonly options: ServeOptions }
  | { readonly ok: false; readonly problems: readonly string[] };

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  source: { type: 'string' },
  tracks: { type: 'string' },
  seed: { type: 'string' },
  prefix: { type: 'string' },
  allowance: { type: 'string' },
  data: { type: 'string' },
  feeds: { type: 'string' },
  receivers: { type: 'string' },
  'push-port': { type: 'string' },
  'keep-days': { type: 'string' },
  'keep-gb': { type: 'string' },
  'one-key': { type: 'boolean' },
  proxies: { type: 'string' },
  control: { type: 'boolean' },
  announce: { type: 'boolean' },
  'exit-with-parent': { type: 'boolean' },
} as const;

const SOURCE_OPTIONS = ['source', 'tracks', 'seed'] as const;
const TRACKS_MAX = 50_000;
const SEED_MAX = 2 ** 32 - 1;
const KEEP_GB_MAX = 1_000_000;

/** Reads the arguments of `serve`. All problems come at once, each with what to write instead. */
export function readServeOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ReadServeOptions {
  const given = new CommandArguments('serve', '', OPTIONS, args);
  const { problems } = given;
  const read = <Value>(
    name: keyof typeof OPTIONS,
    fallback: Value,
    parse: ValueForm<Value>['parse'],
    instead: string,
  ) => given.value(name, { parse, instead }) ?? fallback;

  const port = given.value('port', portForm) ?? 8787;
  const pushPort = given.value('push-port', portForm);
  if (given.has('push-port') && !given.has('feeds')) {
    problems.push('--push-port is for stations in a file of feeds: write --feeds FILE, or leave it out');
  }
  const keepDays = given.value('keep-days', keepDaysForm);
  const keepGb = given.value('keep-gb', keepGbForm);
  for (const name of ['keep-days', 'keep-gb'] as const) {
    if (given.has(name) && !(given.has('data') && (given.has('feeds') || given.has('receivers')))) {
      problems.push(
        `--${name} is about what receivers leave in a directory: write --data DIR and --feeds FILE, or leave it out`,
      );
    }
  }
  const host = read('host', '127.0.0.1', (text) => text || undefined, 'write an address or a name of this machine');
  const seed = read('seed', 1, (text) => wholeNumber(text, 0, SEED_MAX), `write a whole number from 0 to ${SEED_MAX}`);
  const [aircraft, drones] = read(
    'tracks',
    [400, 60] as const,
    (text) => wholeNumberPair(text, 0, TRACKS_MAX),
    `write AIRCRAFT,DRONES, each from 0 to ${TRACKS_MAX}, for example 400,60`,
  );
  const prefix = read(
    'prefix',
    DEFAULT_PREFIX,
    (text) => (/^[A-Za-z0-9]{1,32}$/.test(text) ? text : undefined),
    'write 1 to 32 letters and digits',
  );
  const limited = given.value('allowance', oneKeyAllowanceForm) ?? DEFAULT_ALLOWANCE;
  const isCounted = limited !== 'none';
  const dataDir = given.value('data', pathForm);
  if (given.flag('one-key') && !given.has('data')) {
    problems.push('--one-key is for --data: leave it out, without --data there is one key');
  }
  if (given.has('data') && given.has('allowance') && !given.flag('one-key')) {
    problems.push(
      '--allowance is each account’s own with --data: leave it out, and write account set NAME --allowance M,D',
    );
  }
  const proxies = given.value('proxies', proxiesForm);
  const source = read<SourceChoice>(
    'source',
    { kind: 'simulator', seed, aircraft, drones },
    (text) => (text === 'simulator' ? { kind: 'simulator', seed, aircraft, drones } : recordingChoice(text)),
    'write simulator, or recording:FILE[,FILE…]',
  );
  if (source.kind === 'recording') {
    for (const name of ['tracks', 'seed'] as const) {
      if (given.has(name))
        problems.push(`--${name} applies to the simulator only: leave it out with --source recording:…`);
    }
  }
  const receivers = readReceiversChoice(given);
  // Supervisors may pass an empty variable: it counts as not set.
  const apiKey = environment.SERVICE_API_KEY || undefined;
  if (apiKey !== undefined && !/^[A-Za-z0-9._~+/-]{20,500}=*$/.test(apiKey)) {
    problems.push('SERVICE_API_KEY: write 20 to 500 letters, digits or ._~+/-, for example 32 random bytes in base64');
  }

  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    options: {
      host,
      port,
      source,
      prefix,
      allowance: limited === 'none' ? DEFAULT_ALLOWANCE : limited,
      isCounted,
      dataDir,
      receivers,
      pushPort,
      keepDays,
      keepBytes: keepGb === undefined ? undefined : keepGb * 1e9,
      oneKey: given.flag('one-key'),
      proxies,
      control: given.flag('control'),
      announce: given.flag('announce'),
      exitWithParent: given.flag('exit-with-parent'),
      apiKey,
    },
  };
}

const portForm: ValueForm<number> = {
  parse: (text) => wholeNumber(text, 0, 65_535),
  instead: 'write a port from 0 (any free one) to 65535',
};

const keepDaysForm: ValueForm<number> = {
  parse: (text) => wholeNumber(text, 1, LOOKBACK_MAX_DAYS),
  instead: `write a number of days from 1 to ${LOOKBACK_MAX_DAYS}`,
};

const keepGbForm: ValueForm<number> = {
  parse: (text) => wholeNumber(text, 1, KEEP_GB_MAX),
  instead: `write a whole number of gigabytes from 1 to ${KEEP_GB_MAX}`,
};

const proxiesForm: ValueForm<BlockList> = {
  parse(text) {
    const proxies = new BlockList();
    for (const entry of text.split(',')) {
      const [address = '', bits, ...others] = entry.split('/');
      const version = isIP(address);
      const prefix = wholeNumber(bits ?? (version === 6 ? '128' : '32'), 0, version === 6 ? 128 : 32);
      if (version === 0 || prefix === undefined || others.length > 0) return undefined;
      proxies.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
    }
    return proxies;
  },
  instead: 'write the addresses or networks of your proxies, for example 127.0.0.1,10.0.0.0/8',
};

function readReceiversChoice(given: CommandArguments<typeof OPTIONS>): ReceiversChoice | undefined {
  const [named] = (['feeds', 'receivers'] as const).filter((name) => given.has(name));
  if (named === undefined) return undefined;
  if (given.has('feeds') && given.has('receivers')) given.problems.push('--feeds and --receivers: write one of them');
  for (const name of SOURCE_OPTIONS) {
    if (given.has(name)) given.problems.push(`--${name} does not apply to --${named}: leave it out`);
  }
  const file = given.value('feeds', { ...pathForm, instead: 'write the file of feeds' });
  if (file !== undefined) return { kind: 'file', path: file };
  const list = given.value('receivers', { parse: (text) => text, instead: '' });
  const read = readReceivers(list ?? '');
  if (!read.ok) given.problems.push(...read.problems.map((problem) => `--receivers ${problem}`));
  return read.ok ? { kind: 'list', feeds: read.feeds } : undefined;
}

function recordingChoice(text: string): SourceChoice | undefined {
  const list = /^recording:(.+)$/.exec(text)?.[1];
  const files = list === undefined ? [] : recordingFiles(list.split(','));
  return files.length > 0 && files.every((file) => file !== '') ? { kind: 'recording', files } : undefined;
}

/** A comma may belong to the path of an existing file. */
function recordingFiles(parts: readonly string[]): string[] {
  const files: string[] = [];
  for (let from = 0; from < parts.length; ) {
    let to = parts.length;
    while (to > from + 1 && !existsSync(userPath(parts.slice(from, to).join(',')))) to -= 1;
    files.push(parts.slice(from, to).join(','));
    from = to;
  }
  return files;
}
