'use client';

import { RotateCcw } from 'lucide-react';
import { useLookout, useReplay } from '#lib/client/lookout-context.tsx';
import type { ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { LAYERS } from '#lib/model/position.ts';
import { Button } from '../ui/button.tsx';
import { aboutRequests } from './loading-words.ts';

/** What the operator can do about what is not loaded: load it, at a cost that is told; try again; or look at the place live. */
export function LoadChoices() {
  const { replay } = useLookout();
  const loading = useReplay((summary) => summary?.loading);
  const layers = useReplay((summary) => summary?.layers);
  if (!loading || !layers) return null;
  switch (loading.kind) {
    case 'told': {
      const { expected, most, wide } = loading.cost;
      const atMost = (limit: number) => `No more than ${limit} are made, whatever turns up.`;
      if (!wide) {
        return (
          <Button look="primary" title={atMost(most)} onClick={() => replay.load(undefined)}>
            Load: {aboutRequests(expected)}, at most {most}
          </Button>
        );
      }
      return (
        <div className="flex flex-wrap gap-2">
          <Button look="primary" title={atMost(wide.middle.most)} onClick={() => replay.load('middle')}>
            Load the middle 5°: {aboutRequests(wide.middle.expected)}, at most {wide.middle.most}
          </Button>
          {wide.tiles > 0 ? (
            <Button title={atMost(most)} onClick={() => replay.load('tiles')}>
              Load all in {wide.tiles} tiles: {aboutRequests(expected)}, at most {most}
            </Button>
          ) : (
            <p className="self-center text-dim text-table">Zoom in to load all of a view.</p>
          )}
        </div>
      );
    }
    case 'done':
      return (
        <>
          {has(layers, 'failed') && (
            <Button onClick={() => replay.retry()}>
              <RotateCcw aria-hidden size={14} />
              Try again
            </Button>
          )}
          {has(layers, 'not-asked') && <Button onClick={() => void replay.ask()}>Load the rest</Button>}
        </>
      );
    case 'refused':
      return (
        <>
          <Button onClick={() => void replay.ask()}>
            <RotateCcw aria-hidden size={14} />
            Try again
          </Button>
          <Button look="primary" onClick={() => replay.command({ do: 'leave' })}>
            Show this place live
          </Button>
        </>
      );
    default:
      return null;
  }
}

function has(layers: ReplaySummary['layers'], state: 'failed' | 'not-asked'): boolean {
  return LAYERS.some((layer) => layers[layer].on && layers[layer].minutes.includes(state));
}
