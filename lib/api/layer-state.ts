import * as z from 'zod/mini';
import { LAYERS } from '../model/position.ts';
import type { Reception } from '../model/reception.ts';
import { formatInstant } from '../time/instant.ts';
import { instantText } from '../time/instant-schema.ts';
import { MINUTE_MS } from '../time/time-units.ts';

export const layerSchema = z.enum(LAYERS);

/** An empty list is never ambiguous. docs/api.md explains each state. */
export const layerStateSchema = z.enum(['fresh', 'stale', 'waiting', 'unequipped', 'denied', 'limited', 'failed']);

export type LayerState = z.infer<typeof layerStateSchema>;

/** By then most positions have expired, however long the refresh interval. */
export const FRESH_MAX_MS = MINUTE_MS;

const RECEPTION_STATES = ['ok', 'partly', 'lost', 'none'] as const satisfies readonly Reception['state'][];

/** As the service reports it of its receivers for the layer. */
export const receptionAnswerSchema = z.object({
  /** `none`: no receiver could deliver the layer; `lost`: each is down or silent; `partly`: some are, or hear far less. */
  state: z.enum(RECEPTION_STATES),
  /** `lost`, `partly`: when the first missing receiver delivered last. null: not known. */
  since: z.nullable(instantText),
  /** Receivers that could deliver the layer. */
  receivers: z.int().check(z.nonnegative()),
  /** How many receivers deliver now. */
  receiving: z.int().check(z.nonnegative()),
  /** How many of these hear far less than usual. Absent: none. */
  deaf: z.optional(z.int().check(z.positive())),
});

export type ReceptionAnswer = z.infer<typeof receptionAnswerSchema>;

/** Of all places together. */
export function receptionAnswer(reception: Reception | undefined): ReceptionAnswer | null {
  if (!reception) return null;
  const { since, places: _places, ...counts } = reception;
  return { ...counts, since: since === undefined ? null : formatInstant(since) };
}
