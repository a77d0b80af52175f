import { parseArgs } from 'node:util';
import type { Allowance } from '../accounts/account.ts';
import { DEFAULT_ALLOWANCE, DEFAULT_PREFIX } from '../server/start-service.ts';
import type { SourceChoice } from '../sources/open-source.ts';

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly source: SourceChoice;
  readonly prefix: string;
  readonly allowance: Allowance;
  readonly control: boolean;
  readonly exitWithParent: boolean;
  /** From SERVICE_API_KEY; if undefined, the service generates one. */
  readonly apiKey: string | undefined;
}

export type ReadServeOptions =
  | { readonly ok: true; readonly options: ServeOptions }
  /** One per wrong option; each says what to write instead. */
  | { readonly ok: false; readonly problems: readonly string[] };

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  source: { type: 'string' },
  tracks: { type: 'string' },
  seed: { type: 'string' },
  prefix: { type: 'string' },
  allowance: { type: 'string' },
  control: { type: 'boolean' },
  'exit-with-parent': { type: 'boolean' },
} as const;

type OptionName = keyof typeof OPTIONS;

const TRACKS_MAX = 50_000;
const SEED_MAX = 2 ** 32 - 1;
const ALLOWANCE_MAX = 1_000_000_000;

/** Parses a whole number in plain digits; `undefined` if it is malformed or outside the inclusive bounds. */
function wholeNumber(text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/** Parses two whole numbers separated by a comma; `undefined` if malformed or out of bounds. */
function wholeNumberPair(text: string, min: number, max: number): readonly [number, number] | undefined {
  const [first, second, ...others] = text.split(',');
  const pair = [wholeNumber(first, min, max), wholeNumber(second, min, max)] as const;
  return others.length > 0 || pair[0] === undefined || pair[1] === undefined ? undefined : [pair[0], pair[1]];
}

/** Reads the arguments of `serve` and the environment. Reports all problems at once. */
export function readServeOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ReadServeOptions {
  const problems: string[] = [];
  const { given, flags } = readGiven(args, problems);
  const read = <Value>(
    name: OptionName,
    fallback: Value,
    parse: (text: string) => Value | undefined,
    instead: string,
  ) => {
    const text = given.get(name);
    if (text === undefined) return fallback;
    const value = parse(text);
    if (value === undefined) problems.push(`--${name} ${text}: ${instead}`);
    return value ?? fallback;
  };

  const port = read(
    'port',
    8787,
    (text) => wholeNumber(text, 0, 65_535),
    'write a port from 0 (any free one) to 65535',
  );
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
  const allowance = read<Allowance>(
    'allowance',
    DEFAULT_ALLOWANCE,
    (text) => {
      const pair = wholeNumberPair(text, 1, ALLOWANCE_MAX);
      return pair && { perMinute: pair[0], perDay: pair[1] };
    },
    `write PER_MINUTE,PER_DAY, each from 1 to ${ALLOWANCE_MAX}, for example 600,200000`,
  );
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
  // A supervisor may pass on an empty variable: it counts as not set.
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
      allowance,
      control: flags.has('control'),
      exitWithParent: flags.has('exit-with-parent'),
      apiKey,
    },
  };
}

function recordingChoice(text: string): SourceChoice | undefined {
  const files = /^recording:(.+)$/.exec(text)?.[1]?.split(',');
  return files?.every((file) => file !== '') ? { kind: 'recording', files } : undefined;
}

/** Splits the command line into values and flags by option name, and adds a problem for everything else. */
function readGiven(args: readonly string[], problems: string[]) {
  const given = new Map<OptionName, string>();
  const flags = new Set<OptionName>();
  const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`${token.value}: leave it out, serve takes options only`);
    if (token.kind !== 'option') continue;
    const name = token.name as OptionName;
    const definition = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    if (definition === undefined) {
      problems.push(`${token.rawName} is unknown: write one of --${Object.keys(OPTIONS).join(', --')}`);
    } else if (given.has(name) || flags.has(name)) {
      problems.push(`--${name} is given twice: write it once`);
    } else if (definition.type === 'boolean') {
      if (token.value !== undefined) problems.push(`--${name} takes no value: write --${name} alone`);
      flags.add(name);
    } else if (token.value === undefined) {
      problems.push(`--${name} needs a value: write --${name} VALUE`);
    } else {
      given.set(name, token.value);
    }
  }
  return { given, flags };
}
