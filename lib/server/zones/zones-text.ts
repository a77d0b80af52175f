import 'server-only';
import { createHash } from 'node:crypto';
import type { PricedZone } from '#lib/api/watching/zones.ts';
import { Turns } from '../work/turns.ts';

/** A strong entity tag: of one caller, all that the answer shows. A revision names its content. */
export function editionOf(all: readonly PricedZone[]): string {
  const hash = createHash('sha256');
  for (const { zone, ...rest } of all) {
    const { id, revision, mine, owner, removed_at } = zone;
    hash.update(JSON.stringify([id, revision, mine, owner, removed_at, rest]));
  }
  return `"${hash.digest('base64url')}"`;
}

/** @param condition the header If-None-Match */
export function isSameEdition(condition: string | null, edition: string): boolean {
  if (condition === null) return false;
  const names = condition.split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes(edition) || names.includes('*');
}

/** Enough for a few zones of 500 corners. */
const PIECE_CHARACTERS = 65_536;

/** Up to 20 MB, made as it is read. Other requests have turns. */
export async function* zonesText(all: readonly PricedZone[], signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const turns = new Turns(signal);
  let text = '{"zones":[';
  for (const [index, zone] of all.entries()) {
    if (turns.isDue) await turns.next();
    text += `${index === 0 ? '' : ','}${JSON.stringify(zone)}`;
    if (text.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`${text}]}`);
}
