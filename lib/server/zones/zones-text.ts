import 'server-only';
import { createHash } from 'node:crypto';
import type { PricedZone, WatchedNow, Zone, ZonesAnswer } from '#lib/api/watching/zones.ts';
import { Yielding } from '../work/yielding.ts';
import type { ZonePrices } from './zone-prices.ts';

/** All lists yield together: ten at once take no longer slices than one. */
const yielding = new Yielding();

/** A strong entity tag: of one caller, all that the answer shows. A revision names its content. */
export function editionOf({ zones, unshared }: ZonesAnswer): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(unshared));
  for (const { zone, ...rest } of zones) {
    const { id, revision, mine, owner, shared, removed_at } = zone;
    hash.update(JSON.stringify([id, revision, mine, owner, shared, removed_at, rest]));
  }
  return `"${hash.digest('base64url')}"`;
}

/** @param condition the header If-None-Match */
export function isSameEdition(condition: string | null, edition: string): boolean {
  if (condition === null) return false;
  const names = condition.split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes(edition) || names.includes('*');
}

/** A price takes longer than its zone. */
export async function pricedZones(
  zones: readonly Zone[],
  prices: Pick<ZonePrices, 'of'>,
  present: ReadonlyMap<string, WatchedNow>,
  suspended: ReadonlyMap<string, PricedZone['suspended']>,
): Promise<PricedZone[]> {
  const priced: PricedZone[] = [];
  for (const zone of zones) {
    if (yielding.isDue) await yielding.next();
    const { id } = zone;
    priced.push({
      zone,
      price: prices.of(zone),
      watched: present.get(id) ?? null,
      suspended: suspended.get(id) ?? [],
    });
  }
  return priced;
}

/** Enough for a few zones of 500 corners. */
const PIECE_CHARACTERS = 65_536;

/** The text of a list of up to 20 MB, made as it is read. Other requests have turns. */
export async function* zonesText({ zones, unshared }: ZonesAnswer, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  let text = `{"unshared":${unshared},"zones":[`;
  for (const [index, zone] of zones.entries()) {
    signal?.throwIfAborted();
    if (yielding.isDue) await yielding.next();
    text += `${index === 0 ? '' : ','}${JSON.stringify(zone)}`;
    if (text.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}]}`);
}
