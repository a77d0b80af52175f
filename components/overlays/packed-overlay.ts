import { OVERLAY_PACKED_MAX_LENGTH, type OverlayContent } from '#lib/api/overlay.ts';
import { streamOf } from '#lib/client/request/stream-chunks.ts';
import { OverlayProblem } from './overlay-problem.ts';

/**
 * Body of `POST /api/overlays`.
 * @throws OverlayProblem if it is too large
 */
export async function packedOverlay(content: OverlayContent): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(content));
  const stream = streamOf(text).pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const packed = btoa(binary);
  if (packed.length > OVERLAY_PACKED_MAX_LENGTH)
    throw new OverlayProblem(
      `The shapes take ${Math.ceil(packed.length / 1000)} kB compressed; an overlay has at most ${OVERLAY_PACKED_MAX_LENGTH / 1000} kB, about 8,000 positions. Simplify them, or split the file.`,
    );
  return packed;
}
