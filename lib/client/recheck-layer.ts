import type { Layer } from '#lib/model/position.ts';

export type RecheckOutcome =
  | { readonly kind: 'asked' }
  /** Checked too recently. Seconds to wait, where the answer says so. */
  | { readonly kind: 'too-soon'; readonly retryAfterS: number | undefined }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'unreachable' };

/** Asks Lookout to try a denied layer again now. Never throws. */
export async function recheckLayer(layer: Layer): Promise<RecheckOutcome> {
  try {
    return recheckOutcome(
      await fetch('/api/status', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ recheck: layer }),
        redirect: 'error',
      }),
    );
  } catch {
    return { kind: 'unreachable' };
  }
}

export function recheckOutcome(answer: Pick<Response, 'ok' | 'status' | 'headers'>): RecheckOutcome {
  if (answer.ok) return { kind: 'asked' };
  if (answer.status === 401) return { kind: 'signed-out' };
  if (answer.status !== 429) return { kind: 'failed' };
  const text = answer.headers.get('retry-after') ?? '';
  return { kind: 'too-soon', retryAfterS: /^\d+$/.test(text) ? Number(text) : undefined };
}
