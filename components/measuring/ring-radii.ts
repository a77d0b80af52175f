import { MAX_RING_RADII, MAX_RING_RADIUS } from '#lib/client/page/preferences.ts';

export type RadiiInput =
  | { readonly ok: true; readonly radii: number[] }
  | { readonly ok: false; readonly problem: string };

/** Numbers separated by commas or spaces; ascending, each once. */
export function parseRadii(text: string): RadiiInput {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (parts.length === 0) return { ok: false, problem: 'Enter at least one radius.' };
  const radii: number[] = [];
  for (const part of parts) {
    const radius = /^\d{1,5}(\.\d{1,3})?$/.test(part) ? Number(part) : 0;
    if (radius <= 0 || radius > MAX_RING_RADIUS)
      return { ok: false, problem: `“${part}” is no radius above 0 and up to ${MAX_RING_RADIUS}.` };
    if (!radii.includes(radius)) radii.push(radius);
  }
  if (radii.length > MAX_RING_RADII) return { ok: false, problem: `At most ${MAX_RING_RADII} radii.` };
  return { ok: true, radii: radii.sort((one, other) => one - other) };
}
