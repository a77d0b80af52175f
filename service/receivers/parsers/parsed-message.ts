import type { JsonObject } from '../../json/mend-object.ts';
import type { FieldCounts, Fix, Parsed, RefusalCause } from '../fix.ts';

/** Formats have up to 90 fields. Further names are counted as `other`. */
const NAMES_MAX = 32;
const OTHER = 'other';

/** Counts by the name of a field, of a bounded number of names. */
export class NameCounts {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    const known = this.#counts.has(name) || this.#counts.size < NAMES_MAX - 1 ? name : OTHER;
    this.#counts.set(known, (this.#counts.get(known) ?? 0) + count);
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}

/** A name of another form could be an identity, and is counted as `other`. */
const FIELD_NAME = /^(?![0-9a-f]+$)[A-Za-z][A-Za-z_ -]{0,30}\d{0,2}$/;

/** Notes which fields of a message are unknown, and which values are not usable. It never keeps a value. */
export class FieldNotes {
  #unknown: NameCounts | undefined;
  #unusable: NameCounts | undefined;

  check(row: JsonObject, known: ReadonlySet<string>): void {
    for (const name in row) {
      if (known.has(name)) continue;
      this.#unknown ??= new NameCounts();
      this.#unknown.add(FIELD_NAME.test(name) ? name : OTHER);
    }
  }

  unusable(name: string): void {
    this.#unusable ??= new NameCounts();
    this.#unusable.add(FIELD_NAME.test(name) ? name : OTHER);
  }

  /** @param read returns null for an unusable value */
  read<Value>(row: JsonObject, names: readonly string[], read: (value: unknown) => Value | null): Value | null {
    for (const name of names) {
      const value = row[name];
      if (value === undefined || value === null) continue;
      const found = read(value);
      if (found !== null) return found;
      this.unusable(name);
    }
    return null;
  }

  counts(): FieldCounts | undefined {
    if (!this.#unknown && !this.#unusable) return undefined;
    return { unknown: this.#unknown?.counts ?? NO_COUNTS, unusable: this.#unusable?.counts ?? NO_COUNTS };
  }
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map();

/** Collects what one message gives: fixes, causes of refusals, and notes about its fields. */
export class ParsedMessage {
  readonly notes = new FieldNotes();
  readonly fixes: Fix[] = [];
  readonly refused: RefusalCause[] = [];

  /** @param unusable fields whose value is no JSON */
  constructor(unusable: readonly string[] = []) {
    for (const name of unusable) this.notes.unusable(name);
  }

  add(fix: Fix | RefusalCause): void {
    if (typeof fix === 'string') this.refused.push(fix);
    else this.fixes.push(fix);
  }

  addAll({ fixes, refused }: { readonly fixes: readonly Fix[]; readonly refused: readonly RefusalCause[] }): void {
    this.fixes.push(...fixes);
    this.refused.push(...refused);
  }

  /** @param feedClockMs the feed's clock when it sent the message, if the message says it */
  parsed(feedClockMs: number | undefined): Parsed {
    return { fixes: this.fixes, refused: this.refused, feedClockMs, fields: this.notes.counts() };
  }
}

/** The number if it is within the inclusive bounds. Text that looks like a number is null. */
export function numberWithin(value: unknown, min: number, max: number): number | null {
  return typeof value === 'number' && value >= min && value <= max ? value : null;
}

const decoder = new TextDecoder();

export function messageText(message: string | Uint8Array): string {
  return typeof message === 'string' ? message : decoder.decode(message);
}
