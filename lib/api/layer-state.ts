import * as z from 'zod/mini';
import { MINUTE_MS } from '../time/time-units.ts';

/**
 * The state of one live layer in one answer. It is explicit, so that an empty list is never ambiguous:
 * - `fresh`: read within the refresh interval. No records means that none were received in the area.
 * - `stale`: records are older than the refresh interval, or the latest refresh failed (`reason`); they continue to age.
 * - `waiting`: requested, nothing read yet.
 * - `denied`: the account has no access to the layer.
 * - `limited`: paused by the account's allowance (until `until`); records read before continue to age.
 * - `failed`: rejected or failed with no earlier records to show, or permanently rejected.
 */
export const layerStateSchema = z.enum(['fresh', 'stale', 'waiting', 'denied', 'limited', 'failed']);

export type LayerState = z.infer<typeof layerStateSchema>;

/** Records read longer ago are never `fresh`, however long the refresh interval: by then most positions have expired. */
export const FRESH_MAX_MS = MINUTE_MS;
