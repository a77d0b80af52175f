import * as z from 'zod/mini';
import { MINUTE_MS } from '../time/time-units.ts';

/** The state of one live layer in one answer, so that an empty list is never ambiguous. docs/api.md explains each. */
export const layerStateSchema = z.enum(['fresh', 'stale', 'waiting', 'denied', 'limited', 'failed']);

export type LayerState = z.infer<typeof layerStateSchema>;

/** Records read longer ago are never `fresh`, however long the refresh interval: by then most positions have expired. */
export const FRESH_MAX_MS = MINUTE_MS;
