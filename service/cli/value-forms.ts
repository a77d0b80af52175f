import { LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import type { Scope } from '#lib/contract/operation.ts';
import { addMs, epochMs, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { ALL_SCOPES, type Allowance } from '../accounts/account.ts';
import { ACCOUNT_NAME_MAX_LENGTH, readName } from '../accounts/account-name.ts';
import type { ValueForm } from './read-arguments.ts';

const ALLOWANCE_MAX = 1_000_000_000;
const OVERLAP_MAX_DAYS = 7;

/** In plain digits, within inclusive bounds. */
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

/** Each once, in the order of the contract. */
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

export interface EndDate {
  /** Exclusive. */
  readonly at: UpstreamInstant;
  /** A date without a time includes that day. */
  readonly wholeDay: boolean;
}

/** A date counts until it ends in UTC. */
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

/** In ms. */
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
