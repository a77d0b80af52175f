import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import type { Scope } from '#lib/contract/operation.ts';
import { addMs, epochMs, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { ALL_SCOPES, type Allowance } from '../accounts/account.ts';
import { ACCOUNT_NAME_MAX_LENGTH, readName } from '../accounts/account-book.ts';

export type OptionTable = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

export interface ValueForm<Value> {
  readonly parse: (text: string) => Value | undefined;
  /** The hint after a wrong value, such as `write a port`. */
  readonly instead: string;
}

/**
 * The arguments of one command. Reading never throws: it collects all problems, each with what to write instead. The
 * forms of values are below.
 */
export class CommandArguments<Options extends OptionTable = OptionTable> {
  readonly problems: string[] = [];
  readonly #given = new Map<string, string>();
  readonly #flags = new Set<string>();
  readonly #positionals: string[] = [];

  /** @param operand for example `NAME`; '' for none */
  constructor(command: string, operand: string, options: Options, args: readonly string[]) {
    const { tokens } = parseArgs({ args: this.#withValues(args, options), options, strict: false, tokens: true });
    for (const token of tokens) {
      if (token.kind === 'positional') this.#positionals.push(token.value);
      if (token.kind !== 'option') continue;
      const { name, rawName, value } = token;
      const definition = Object.hasOwn(options, name) ? options[name] : undefined;
      if (definition === undefined) {
        this.problems.push(`${rawName} is unknown: write one of --${Object.keys(options).join(', --')}`);
      } else if (this.has(name)) {
        this.problems.push(`--${name} is given twice: write it once`);
      } else if (definition.type === 'boolean') {
        if (value !== undefined) this.problems.push(`--${name} takes no value: write --${name} alone`);
        this.#flags.add(name);
      } else {
        this.#given.set(name, value ?? '');
      }
    }
    for (const extra of this.#positionals.slice(operand === '' ? 0 : 1)) {
      this.problems.push(
        operand === ''
          ? `${extra}: leave it out, ${command} takes options only`
          : `${extra}: leave it out, ${command} takes one ${operand}; one with spaces is written in quotes`,
      );
    }
  }

  /** parseArgs would take the next option for a missing value. */
  #withValues(args: readonly string[], options: Options): string[] {
    return args.filter((arg, index) => {
      const name = arg.slice(2);
      if (!arg.startsWith('--') || !Object.hasOwn(options, name) || options[name]?.type !== 'string') return true;
      const next = args[index + 1];
      const nextName = next?.startsWith('--') ? (next.slice(2).split('=')[0] as string) : undefined;
      if (next !== undefined && (nextName === undefined || !Object.hasOwn(options, nextName))) return true;
      this.problems.push(`--${name} needs a value: write --${name} VALUE`);
      this.#flags.add(name);
      return false;
    });
  }

  has(name: keyof Options & string): boolean {
    return this.#given.has(name) || this.#flags.has(name);
  }

  flag(name: keyof Options & string): boolean {
    return this.#flags.has(name);
  }

  value<Value>(name: keyof Options & string, form: ValueForm<Value>): Value | undefined {
    const text = this.#given.get(name);
    return text === undefined ? undefined : this.#read(`--${name} ${text}`, text, form);
  }

  required<Value>(name: keyof Options & string, form: ValueForm<Value>): Value | undefined {
    if (!this.has(name)) this.problems.push(`--${name} is missing: ${form.instead}`);
    return this.value(name, form);
  }

  operand<Value>(form: ValueForm<Value>): Value | undefined {
    const text = this.#positionals[0];
    if (text === undefined) {
      this.problems.push(`a name is missing: ${form.instead}`);
      return undefined;
    }
    return this.#read(text, text, form);
  }

  #read<Value>(what: string, text: string, { parse, instead }: ValueForm<Value>): Value | undefined {
    const value = parse(text);
    // JSON shows what a terminal would obey or hide.
    if (value === undefined) this.problems.push(`${/\p{C}/u.test(what) ? JSON.stringify(what) : what}: ${instead}`);
    return value;
  }
}

const ALLOWANCE_MAX = 1_000_000_000;
const OVERLAP_MAX_DAYS = 7;

/** A number in plain digits, within inclusive bounds. */
export function wholeNumber(text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

export function wholeNumberPair(text: string, min: number, max: number): readonly [number, number] | undefined {
  const [first, second, ...others] = text.split(',');
  const pair = [wholeNumber(first, min, max), wholeNumber(second, min, max)] as const;
  return others.length > 0 || pair[0] === undefined || pair[1] === undefined ? undefined : [pair[0], pair[1]];
}

export const allowanceForm: ValueForm<Allowance> = {
  parse(text) {
    const pair = wholeNumberPair(text, 1, ALLOWANCE_MAX);
    return pair && { perMinute: pair[0], perDay: pair[1] };
  },
  instead: `write PER_MINUTE,PER_DAY, each from 1 to ${ALLOWANCE_MAX}, for example 600,200000`,
};

export const oneKeyAllowanceForm: ValueForm<Allowance | 'none'> = {
  parse: (text) => (text === 'none' ? text : allowanceForm.parse(text)),
  instead: `${allowanceForm.instead}, or none`,
};

export const pathForm: ValueForm<string> = {
  parse: (text) => (text === '' || text.includes('\0') ? undefined : text),
  instead: 'write the directory of the accounts',
};

export const nameForm: ValueForm<string> = {
  parse: readName,
  instead: `write a name of 1 to ${ACCOUNT_NAME_MAX_LENGTH} letters, digits and signs with single spaces between them, not beginning with -`,
};

/** Reads scopes: each once, in the order of the contract. */
export const scopesForm: ValueForm<readonly Scope[]> = {
  parse(text) {
    const given = text.split(',').map((scope) => scope.trim());
    if (!given.every((scope) => ALL_SCOPES.includes(scope as Scope))) return undefined;
    return ALL_SCOPES.filter((scope) => given.includes(scope));
  },
  instead: `write one or more of ${ALL_SCOPES.join()}, separated by commas`,
};

export const lookbackForm: ValueForm<number> = {
  parse: (text) => wholeNumber(text, 1, LOOKBACK_MAX_DAYS),
  instead: `write whole days from 1 to ${LOOKBACK_MAX_DAYS}`,
};

interface EndDate {
  /** The first instant that it no longer includes. */
  readonly at: UpstreamInstant;
  /** Whether it is a date without a time, which includes that day. */
  readonly wholeDay: boolean;
}

/** A date without a time counts until that day ends in UTC. */
export function endDateForm(now: UpstreamInstant): ValueForm<EndDate> {
  const example = new Date(epochMs(now) + 90 * DAY_MS).toISOString().slice(0, 10);
  return {
    parse(text) {
      const wholeDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
      const instant = parseInstant(wholeDay ? `${text}T00:00:00Z` : text);
      if (instant === undefined) return undefined;
      const at = wholeDay ? addMs(instant, DAY_MS) : instant;
      return at > now ? { at, wholeDay } : undefined;
    },
    instead: `write a date in the future such as ${example}, until the end of which it counts (UTC), or a time such as ${example}T12:00:00Z`,
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** A duration, read as ms. */
export const overlapForm: ValueForm<number> = {
  parse(text) {
    if (text === '0') return 0;
    const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
    const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
    return ms <= OVERLAP_MAX_DAYS * DAY_MS ? ms : undefined;
  },
  instead: `write 0, or how long both keys work as 30m, 24h or 7d, at most ${OVERLAP_MAX_DAYS}d`,
};

export const emailForm: ValueForm<string> = {
  parse: (text) => (/^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(text) && text.length <= 254 ? text : undefined),
  instead: 'write an e-mail address such as name@example.org',
};

export const sentenceForm: ValueForm<string> = {
  parse(text) {
    const trimmed = text.trim().normalize('NFC');
    return trimmed.isWellFormed() && /^[^\p{C}]{1,500}$/u.test(trimmed) ? trimmed : undefined;
  },
  instead: 'write 1 to 500 characters on one line',
};

/** A path from where the user is: npm runs scripts in the folder of package.json. */
export function userPath(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}
