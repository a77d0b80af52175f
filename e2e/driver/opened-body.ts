import { inflateRawSync } from 'node:zlib';
import { COMPACT_LIVE_TYPE, compactHeadSchema } from '#lib/api/compact-answer.ts';
import { HEAD_LENGTH_BYTES, splitHead } from '#lib/codec/json-head.ts';

export function openedBody(body: Buffer, contentType: string | undefined): string {
  const text = body.toString('latin1');
  if (contentType !== COMPACT_LIVE_TYPE || body.byteLength < HEAD_LENGTH_BYTES) return text;
  const { head, end } = splitHead(body);
  const { layers } = compactHeadSchema.parse(head);
  let at = end;
  const opened = [text];
  for (const layer of ['rid', 'adsb'] as const) {
    for (const bytes of layers[layer]?.parts.flatMap(({ bodies }) => bodies) ?? []) {
      opened.push(inflateRawSync(body.subarray(at, at + bytes)).toString('latin1'));
      at += bytes;
    }
  }
  return opened.join('\n');
}
