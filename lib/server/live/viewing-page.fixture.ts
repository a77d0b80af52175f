import { inflateRawSync } from 'node:zlib';
import { decodeFrame } from '#lib/codec/frame.ts';
import type { Records } from '#lib/codec/records.ts';
import type { AreaSnapshot } from './snapshots.ts';

export class ViewingPage {
  readonly #areas = new Map<string, { readonly sequence: number; readonly records: Records }>();

  async poll(snapshot: AreaSnapshot): Promise<{ name: string; form: 'full' | number; records: Records }> {
    const { name } = snapshot;
    const { deltas, bodies } = await snapshot.bodies(this.#areas.get(name)?.sequence);
    const frames = bodies.map((body) => new Uint8Array(inflateRawSync(body)));
    let records = this.#areas.get(name)?.records;
    if (!deltas) records = decodeFrame(frames[0] as Uint8Array).records;
    else for (const frame of frames) records = decodeFrame(frame, records).records;
    if (records === undefined) throw new Error('the answer reports no change, but the page has no records');
    this.#areas.set(name, { sequence: snapshot.sequence, records });
    return { name, form: deltas ? bodies.length : 'full', records };
  }
}
