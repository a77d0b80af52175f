import 'server-only';
import type { Reception } from '#lib/model/reception.ts';

/** `none` in a part is a gap; a lost receiver is a failure. */
const SEVERITY: Readonly<Record<Reception['state'], number>> = { lost: 3, partly: 2, none: 1, ok: 0 };

/** Of equal ones the longest. `undefined` where none is reported. */
export function worstReception(receptions: Iterable<Reception | undefined>): Reception | undefined {
  let worst: Reception | undefined;
  for (const each of receptions) if (each && (!worst || isWorse(each, worst))) worst = each;
  return worst;
}

function isWorse(one: Reception, other: Reception): boolean {
  if (one.state !== other.state) return SEVERITY[one.state] > SEVERITY[other.state];
  return one.since !== undefined && (other.since === undefined || one.since < other.since);
}
