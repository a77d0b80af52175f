import 'server-only';
import { z } from 'zod';
import { failureReasonSchema } from '#lib/api/layer-reason.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { Cooldown } from '../../upstream/cooldown.ts';
import type { UpstreamClock } from '../../upstream/upstream-clock.ts';
import { withReception } from './history-part.ts';
import { packedReception, packReception } from './pack-reception.ts';
import type { LayerPart } from './part-columns.ts';
import type { PartOutcome } from './part-source.ts';

/** Cooldowns end in upstream time: each server has its own clock. */
export interface PartAnswer {
  readonly outcome: string;
  readonly body: Uint8Array | null;
}

const cooldownSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('timed'), reason: failureReasonSchema, until: z.number().transform(upstreamInstant) }),
  z.object({ kind: z.literal('latched'), reason: z.enum(['key_refused', 'request_rejected']) }),
  z.object({ kind: z.literal('reserved'), reason: z.literal('allowance_used_up') }),
]);

const count = z.int().nonnegative();
const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('part'),
    requests: count,
    records: count,
    truncated: z.boolean(),
    unreadable: count,
    isSettled: z.boolean(),
    reception: packedReception.optional(),
  }),
  z.object({ kind: z.literal('blocked'), requests: count, cooldown: cooldownSchema }),
  z.object({ kind: z.literal('failed') }),
]);

export const FAILED: PartAnswer = { outcome: JSON.stringify({ kind: 'failed' }), body: null };

/** @param isSettled whether the writer has cached the part */
export function writeAnswer(outcome: PartOutcome, isSettled: boolean, clock: UpstreamClock): PartAnswer {
  const { requests } = outcome;
  if (outcome.kind === 'blocked') {
    const { cooldown } = outcome;
    const sent = cooldown.kind === 'timed' ? { ...cooldown, until: clock.fromLocal(cooldown.until) } : cooldown;
    return { outcome: JSON.stringify({ kind: 'blocked', requests, cooldown: sent }), body: null };
  }
  const { records, truncated, unreadable, body } = outcome.part;
  const reception = packReception(outcome.part);
  return {
    outcome: JSON.stringify({ kind: 'part', requests, records, truncated, unreadable, isSettled, reception }),
    body,
  };
}

/** @throws Error where the writer failed, or has another version */
export function readAnswer(
  { outcome: text, body }: PartAnswer,
  { layer, bbox, window }: LayerPart,
  clock: UpstreamClock,
): { readonly outcome: PartOutcome; readonly isSettled: boolean } {
  const outcome = outcomeSchema.parse(JSON.parse(text));
  if (outcome.kind === 'failed') throw new Error('the writer failed to read a part of the past');
  const { requests } = outcome;
  if (outcome.kind === 'blocked') {
    const { cooldown } = outcome;
    const own: Cooldown = cooldown.kind === 'timed' ? { ...cooldown, until: clock.toLocal(cooldown.until) } : cooldown;
    return { outcome: { kind: 'blocked', requests, cooldown: own }, isSettled: false };
  }
  if (!body) throw new Error('the answer of the writer has no body');
  const { records, truncated, unreadable, isSettled, reception = [] } = outcome;
  // Not a view of a larger buffer of the driver.
  const own = Uint8Array.from(body);
  const part = withReception({ layer, bbox, window, records, truncated, unreadable, body: own }, reception);
  return { outcome: { kind: 'part', requests, part }, isSettled };
}
