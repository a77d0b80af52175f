'use client';

import { useEffect, useRef, useState } from 'react';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useDisplay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { agePhase } from '#lib/model/ageing.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { headingText, lengthText, speedText } from '#lib/model/measure-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { drawnOf } from '#lib/picture/draw-picture.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { countText } from '../layers/count-text.ts';
import { useLayerText } from '../layers/use-layer-text.ts';

/**
 * Reads changes of the picture to screen readers: as often as the operator wants, and sooner where a layer has a problem. It
 * is silent while nothing changes.
 */
export function SpokenSummary() {
  const { shownAt, isPast, selected, now } = useDisplay();
  const [{ zone, units, spokenEveryS }] = usePreferences();
  const layers = [useSpokenLayer(LAYER_DISPLAY_ORDER[0]), useSpokenLayer(LAYER_DISPLAY_ORDER[1])];
  const changes = useRef<PacedChanges>(undefined);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (spokenEveryS === 0 || now === undefined) return;
    changes.current ??= new PacedChanges();
    const text = changes.current.next(
      {
        replayedAt: isPast && shownAt !== undefined ? clockText(shownAt, zone) : undefined,
        layers,
        selected: selected && shownAt !== undefined ? selectedText(selected, shownAt, units) : undefined,
      },
      performance.now(),
      spokenEveryS * 1000,
    );
    if (text !== undefined) setSaid(text);
  });
  return (
    <p role="status" data-testid="spoken-summary" className="sr-only">
      {said}
    </p>
  );
}

function useSpokenLayer(layer: Layer): SpokenLayer {
  const { tone, sentence, counts } = useLayerText(layer);
  const shown = useDisplay(({ filtered }) => filtered.shownOf[layer]);
  const { state, reason } = useDisplay().layers[layer];
  const { current, expired } = countText(counts, shown);
  const received = [current, expired].filter((part) => part !== undefined).join(', ');
  return {
    received: drawnOf(counts) === 0 ? sentence : `${LAYER_NAME[layer]}: ${received}`,
    trouble: tone === 'good' ? undefined : `${tone} ${state} ${reason}`,
    sentence,
  };
}

export interface SpokenLayer {
  /** The layer's counts in words, or its sentence where there are none. */
  readonly received: string;
  /** The same text while a problem lasts; `undefined` without one. */
  readonly trouble: string | undefined;
  readonly sentence: string;
}

export interface SpokenPicture {
  readonly replayedAt: string | undefined;
  readonly layers: readonly SpokenLayer[];
  readonly selected: string | undefined;
}

/** Whether the picture changed between live and past, or a layer's problem changed. */
function isUrgent(before: SpokenPicture, now: SpokenPicture): boolean {
  return (
    wasReplayed(before) !== wasReplayed(now) ||
    now.layers.some((layer, i) => layer.trouble !== before.layers[i]?.trouble)
  );
}

export function changesText(before: SpokenPicture | undefined, now: SpokenPicture): string {
  const parts = now.layers.flatMap((layer, i) => layerChange(before?.layers[i], layer));
  if (now.selected !== undefined && now.selected !== before?.selected) parts.push(now.selected);
  const changesMode = before !== undefined && wasReplayed(before) !== wasReplayed(now);
  if (parts.length === 0 && !changesMode) return '';
  if (wasReplayed(now)) parts.unshift(`Replay, ${now.replayedAt}`);
  else if (changesMode) parts.unshift('Live');
  return parts.map((part) => `${part}.`).join(' ');
}

function layerChange(before: SpokenLayer | undefined, now: SpokenLayer): readonly string[] {
  const state = now.trouble === before?.trouble ? undefined : now.sentence;
  const received = now.received === before?.received ? undefined : now.received;
  return [...new Set([state, received])].filter((part) => part !== undefined);
}

const wasReplayed = (picture: SpokenPicture) => picture.replayedAt !== undefined;

/** An operator needs this long to listen to a sentence; a problem waits no longer. */
const URGENT_PACE_MS = 5000;

export class PacedChanges {
  #said: SpokenPicture | undefined;
  #saidAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param atMs on a clock that never jumps
   * @returns the text to read out now; `undefined` for none
   */
  next(picture: SpokenPicture, atMs: number, paceMs: number): string | undefined {
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

export function selectedText(
  { position, expiresAt, gone }: SelectedTrack,
  at: UpstreamInstant,
  units: UnitSystem,
): string {
  const { kind, ref, altitudeM, heightAglM, speedMps, headingDeg, emergencyState, simulated, testBroadcast } = position;
  const phase = agePhase(epochMs(position.observedAt), epochMs(expiresAt), kind, epochMs(at));
  const who = [
    `Selected ${kind} ${shortReference(ref)}`,
    simulated ? 'simulated' : '',
    testBroadcast ? 'test broadcast' : '',
    emergencyClass(emergencyState) === 'emergency' ? emergencyWords(emergencyState ?? '').toLowerCase() : '',
  ];
  const values = gone
    ? ['no longer on the map']
    : [
        phase === 'expired' ? 'expired' : '',
        named('altitude', lengthText(units, altitudeM)),
        named('height', lengthText(units, heightAglM)),
        named('speed', speedText(units, speedMps)),
        named('heading', headingText(headingDeg)),
      ];
  return `${joined(who)}: ${joined(values) || 'no values reported'}`;
}

const named = (name: string, value: string | undefined) => (value === undefined ? '' : `${name} ${value}`);
const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join(', ');
