import * as z from 'zod/mini';
import { MINUTE_MS } from '../time/time-units.ts';

/** An empty list is never ambiguous. docs/api.md explains each state. */
export const layerStateSchema = z.enum(['fresh', 'stale', 'waiting', 'unequipped', 'denied', 'limited', 'failed']);

export type LayerState = z.infer<typeof layerStateSchema>;

/** By then most positions have expired, however long the refresh interval. */
export const FRESH_MAX_MS = MINUTE_MS;
