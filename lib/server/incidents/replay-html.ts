import 'server-only';
import type { SealedMaterial } from './sealed-material.ts';

export async function* replayHtml({ incident, positions }: SealedMaterial): AsyncGenerator<Uint8Array | string> {
  yield `<!doctype html><title>${incident.number}</title>`;
  for await (const _ of positions()) yield '';
}
