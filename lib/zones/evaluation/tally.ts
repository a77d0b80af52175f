import type { Layer } from '#lib/model/position.ts';
import type { WatchedZone } from './transition.ts';

/** How many a layer of a rule may have at most. */
interface Bound {
  readonly open: number;
  /** With those that wait for a hold, or may come back. */
  readonly followed: number;
}

export interface EvaluationBounds {
  readonly rule: Bound;
  /** Divided equally between the operators that have zones, so that none uses up another's. */
  readonly all: Bound;
  /** Tracks that one position is compared with, for a rule about two tracks. */
  readonly neighbours: number;
  /** Decisions of one operator's rules in an answer. */
  readonly work: number;
}

/**
 * An operator can't look at 300 alarms of one rule; a station received 59 aircraft in an hour (docs/decisions/0030).
 * Measured with Node 24, over answers of 300 to 800 aircraft: 120,000 decisions take 0.1 to 0.3 s. An open alarm has a
 * row of 1.5 kB, and what is followed one of 0.5 to 1 kB. The bounds of all are 18 MB, written in 0.7 s.
 */
export const BOUNDS: EvaluationBounds = {
  rule: { open: 300, followed: 1000 },
  all: { open: 5000, followed: 10_000 },
  neighbours: 400,
  work: 300_000,
};

interface Count {
  open: number;
  followed: number;
}

/** The fields of a `Progress` that the tally reads. */
interface Tallied {
  readonly rule: string;
  readonly zone: string;
  readonly track: { readonly layer: Layer };
  readonly alarm: { readonly isOpen: boolean } | undefined;
}

interface CountOfOperator extends Count {
  rules: number;
}

/** Open alarms and what is followed, by layer of a rule and by operator. */
export class Tally {
  readonly #rules = new Map<string, Count>();
  readonly #zones = new Map<string, Count>();
  #operators: ReadonlyMap<string, string> = new Map();
  #ofOperators = new Map<string, CountOfOperator>();

  /** How many operators have zones. */
  get operators(): number {
    return this.#ofOperators.size;
  }

  setZones(zones: Iterable<Pick<WatchedZone, 'id' | 'operator' | 'rules'>>): void {
    const operators = new Map<string, string>();
    this.#operators = operators;
    this.#ofOperators = new Map();
    for (const { id, operator = '', rules } of zones) {
      operators.set(id, operator);
      this.ofOperator(id).rules += rules.length;
    }
    for (const [zone, { open, followed }] of this.#zones) {
      const count = this.ofOperator(zone);
      count.open += open;
      count.followed += followed;
    }
  }

  add(progress: Tallied): void {
    this.#change(progress, progress.alarm?.isOpen ? 1 : 0, 1);
  }

  remove(progress: Tallied): void {
    this.#change(progress, progress.alarm?.isOpen ? -1 : 0, -1);
  }

  opened(progress: Tallied): void {
    this.#change(progress, 1, 0);
  }

  ended(progress: Tallied): void {
    this.#change(progress, -1, 0);
  }

  ofRule(rule: string, layer: string): Readonly<Count> {
    return this.#rules.get(`${rule}|${layer}`) ?? NONE;
  }

  ofOperator(zone: string): CountOfOperator {
    const operator = this.#operators.get(zone) ?? '';
    let count = this.#ofOperators.get(operator);
    if (!count) {
      count = { ...newCount(), rules: 0 };
      this.#ofOperators.set(operator, count);
    }
    return count;
  }

  #change({ rule, zone, track }: Tallied, open: number, followed: number): void {
    const key = `${rule}|${track.layer}`;
    const ofRule = countOf(this.#rules, key);
    for (const count of [ofRule, countOf(this.#zones, zone), this.ofOperator(zone)]) {
      count.open += open;
      count.followed += followed;
    }
    if (ofRule.followed === 0) this.#rules.delete(key);
    if (this.#zones.get(zone)?.followed === 0) this.#zones.delete(zone);
  }
}

const NONE: Readonly<Count> = newCount();

function countOf(counts: Map<string, Count>, key: string): Count {
  let count = counts.get(key);
  if (!count) {
    count = newCount();
    counts.set(key, count);
  }
  return count;
}

function newCount(): Count {
  return { open: 0, followed: 0 };
}
