export interface HeardLayer {
  /** Without counts, the layer's sentence. */
  readonly received: string;
  /** Stable while the problem lasts; `undefined` without one. */
  readonly trouble: string | undefined;
  readonly sentence: string;
}

export interface HeardPicture {
  readonly replayedAt: string | undefined;
  readonly layers: readonly HeardLayer[];
  readonly selected: string | undefined;
}

/** A change between live and past, or of a layer's problem. */
function isUrgent(before: HeardPicture, now: HeardPicture): boolean {
  return (
    wasReplayed(before) !== wasReplayed(now) ||
    now.layers.some((layer, i) => layer.trouble !== before.layers[i]?.trouble)
  );
}

export function changesText(before: HeardPicture | undefined, now: HeardPicture): string {
  const parts = now.layers.flatMap((layer, i) => layerChange(before?.layers[i], layer));
  if (now.selected !== undefined && now.selected !== before?.selected) parts.push(now.selected);
  const changesMode = before !== undefined && wasReplayed(before) !== wasReplayed(now);
  if (parts.length === 0 && !changesMode) return '';
  if (wasReplayed(now)) parts.unshift(`Replay, ${now.replayedAt}`);
  else if (changesMode) parts.unshift('Live');
  return parts.map((part) => `${part}.`).join(' ');
}

function layerChange(before: HeardLayer | undefined, now: HeardLayer): readonly string[] {
  const state = now.trouble === before?.trouble ? undefined : now.sentence;
  const received = now.received === before?.received ? undefined : now.received;
  return [...new Set([state, received])].filter((part) => part !== undefined);
}

const wasReplayed = (picture: HeardPicture) => picture.replayedAt !== undefined;

/** Time to listen to a sentence; problems wait no longer. */
const URGENT_PACE_MS = 5000;

export class PacedChanges {
  #said: HeardPicture | undefined;
  #saidAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param atMs on a clock that never jumps
   * @returns the text to read out now; `undefined` for none
   */
  next(picture: HeardPicture, atMs: number, paceMs: number): string | undefined {
    const before = this.#said;
    const waitMs = before && isUrgent(before, picture) ? Math.min(URGENT_PACE_MS, paceMs) : paceMs;
    if (atMs - this.#saidAtMs < waitMs) return undefined;
    const text = changesText(before, picture);
    if (text === '') return undefined;
    this.#said = picture;
    this.#saidAtMs = atMs;
    return text;
  }
}
